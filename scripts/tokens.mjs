// `npm run tokens`: shows or raises the token counter of the database that the environment names, as `npm start` would
// find it. In a container image: `node dist/tokens.mjs`.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { ensureDependencies, ensureNode } from './setup.mjs';

const root = path.join(import.meta.dirname, '..');

ensureNode();
ensureDependencies();
const build = [path.join(root, 'scripts/build.mjs'), '--if-stale'];
const { status } = spawnSync(process.execPath, build, { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
process.chdir(root);
await import(pathToFileURL(path.join(root, 'dist/tokens.mjs')).href);
