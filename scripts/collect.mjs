// Puts together what a machine needs to serve and nothing else: the build, and of the packages those files that it reaches,
// as Next's own builds trace them. For the container image: `node scripts/collect.mjs FOLDER` after a build.
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const { nodeFileTrace } = createRequire(import.meta.url)('next/dist/compiled/@vercel/nft');

const root = path.join(import.meta.dirname, '..');
const [target] = process.argv.slice(2);
if (target === undefined || existsSync(target)) {
  console.error('Usage: node scripts/collect.mjs FOLDER, which must not exist yet');
  process.exit(1);
}
if (!existsSync(path.join(root, 'dist/build-stamp'))) {
  console.error('There is no whole build: run node scripts/build.mjs first.');
  process.exit(1);
}

const commands = readdirSync(path.join(root, 'dist'))
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => `dist/${file}`);
const { fileList } = await nodeFileTrace(commands, { base: root, processCwd: root });
const files = new Set([...fileList, ...pageFiles()]);
for (const file of files) {
  if (!file.startsWith('..')) copy(file);
}
// Next reads its configuration with what it builds by, which its trace leaves out.
const untraced = ['node_modules/next/dist/compiled/webpack'];
const own = ['dist', '.next', 'next.config.mjs', 'package.json', 'scripts/health.mjs'];
for (const place of [...untraced, ...own]) copy(place);

/** What the pages reach, from the lists that `next build` has left beside them. */
function pageFiles() {
  const lists = readdirSync(path.join(root, '.next/server'), { recursive: true })
    .filter((file) => file.endsWith('.nft.json'))
    .map((file) => path.join(root, '.next/server', file));
  return [path.join(root, '.next/next-server.js.nft.json'), ...lists].flatMap((list) =>
    JSON.parse(readFileSync(list, 'utf8')).files.map((file) =>
      path.relative(root, path.join(path.dirname(list), file)),
    ),
  );
}

/** Links stay links: a package reached by two names must be one module. */
function copy(place) {
  const from = path.join(root, place);
  const to = path.join(target, place);
  mkdirSync(path.dirname(to), { recursive: true });
  if (existsSync(to) && !lstatSync(from).isDirectory()) return;
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => source !== path.join(root, '.next/cache'),
  });
}
