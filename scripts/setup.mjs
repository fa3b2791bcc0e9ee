// What `npm start` and `npm test` need before anything else: a fitting Node, and the packages of package-lock.json.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');

export function ensureNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Holdfast needs Node.js 20.19 or newer, and this is ${process.version}.`);
  process.exit(1);
}

/** Runs `npm ci` if node_modules is missing or was made from another package-lock.json. */
export function ensureDependencies() {
  const stampFile = path.join(root, 'node_modules/.holdfast-lock');
  const lock = createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = `${process.versions.modules} ${lock}`;
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  console.log('Installing packages (once; SQLite is compiled, which takes a minute or two)…');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, NODE_ENV: 'development' },
  });
  if (status !== 0) {
    console.error('Installing packages failed; the lines above say why.');
    process.exit(status ?? 1);
  }
  writeFileSync(stampFile, stamp);
}
