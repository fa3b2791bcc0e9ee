// `npm start`: installs, builds and serves. It runs before there is a node_modules, so it imports nothing but Node.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { ensureDependencies, ensureNode } from './setup.mjs';

const root = path.join(import.meta.dirname, '..');

ensureNode();
ensureDependencies();

const build = spawnSync(process.execPath, [path.join(root, 'scripts/build.mjs'), '--if-stale'], {
  cwd: root,
  stdio: 'inherit',
});
if (build.status !== 0) process.exit(build.status ?? 1);

// In this process: one to signal, and whatever ends it is what the caller sees.
process.env.NODE_ENV = 'production';
process.env.NEXT_TELEMETRY_DISABLED = '1';
process.setSourceMapsEnabled(true);
process.chdir(root);
endWithNpm();
await import(pathToFileURL(path.join(root, 'dist/server.mjs')).href);

/** A signal to `npm start` ends the shell that npm runs this in, and would leave the server behind with nobody to stop it. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event !== 'start') return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}
