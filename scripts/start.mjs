// `npm start`: installs, builds and serves. It runs before there is a node_modules, so it imports nothing but Node.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

import { ensureDependencies, ensureNode } from './setup.mjs';

const root = path.join(import.meta.dirname, '..');

ensureNode();
ensureDependencies();

const build = spawnSync(process.execPath, [path.join(root, 'scripts/build.mjs'), '--if-stale'], {
  cwd: root,
  stdio: 'inherit',
});
if (build.status !== 0) process.exit(build.status ?? 1);
if (!existsSync(path.join(root, 'dist/server.mjs'))) process.exit(1);

const server = spawn(
  process.execPath,
  ['--enable-source-maps', path.join(root, 'dist/server.mjs')],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
server.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 0)));
