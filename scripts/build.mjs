// Builds what `npm start` serves: generated code, Next's pages, and the server bundle. `--if-stale` skips a build whose
// sources have not changed since.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const stampFile = path.join(root, 'dist/build-stamp');
const sources = [
  'app',
  'components',
  'lib',
  'messages',
  'prisma',
  'scripts',
  'public',
  'server.ts',
  'tokens.ts',
  'proxy.ts',
  'instrumentation-client.ts',
  'next.config.mjs',
  'prisma.config.ts',
  'package-lock.json',
  'tsconfig.json',
  'postcss.config.mjs',
];

// The client is a package of its own, with a stamp of its own.
run('the client', [path.join(root, 'scripts/client.mjs'), ...process.argv.slice(2)]);

const stamp = `${process.version} ${fingerprint()}`;
const made = [stampFile, path.join(root, 'dist/server.mjs'), path.join(root, '.next/BUILD_ID')];
const isFresh = made.every(existsSync) && readFileSync(stampFile, 'utf8') === stamp;
if (!(isFresh && process.argv.includes('--if-stale'))) build();

function build() {
  // What an interrupted build leaves behind must not pass for a whole one.
  rmSync(stampFile, { force: true });
  run('generate', [path.join(root, 'scripts/generate.mjs')]);
  run('next build', [path.join(root, 'node_modules/next/dist/bin/next'), 'build']);
  run('bundle the server', [path.join(root, 'scripts/bundle.mjs')]);
  mkdirSync(path.dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
}

function run(what, args) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env,
  });
  if (status !== 0) {
    console.error(`Building Holdfast failed at: ${what}.`);
    process.exit(status ?? 1);
  }
}

function fingerprint() {
  const hash = createHash('sha256');
  for (const source of sources) {
    const place = path.join(root, source);
    if (existsSync(place))
      for (const file of filesUnder(place)) hash.update(file).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesUnder(place) {
  if (statSync(place).isFile()) return [place];
  return readdirSync(place, { recursive: true })
    .map((name) => path.join(place, name))
    .filter((file) => statSync(file).isFile() && !file.endsWith('.test.ts'))
    .sort();
}
