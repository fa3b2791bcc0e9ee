// Builds the package in client/: its entry points, the command line, and its types, into client/dist. `--if-stale` skips
// a build whose sources have not changed since.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { build } from 'esbuild';

const root = path.join(import.meta.dirname, '..');
const client = path.join(root, 'client');
const stampFile = path.join(client, 'dist/build-stamp');

const stamp = fingerprint();
const isFresh = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
if (!(isFresh && process.argv.includes('--if-stale'))) await buildClient();

async function buildClient() {
  rmSync(path.join(client, 'dist'), { recursive: true, force: true });
  const shared = {
    absWorkingDir: client,
    outdir: 'dist',
    bundle: true,
    format: 'esm',
    // The oldest runtimes that it is for have no `using` of their own.
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
  };
  await build({ ...shared, entryPoints: { index: 'src/index.ts' }, platform: 'neutral' });
  await build({ ...shared, entryPoints: { node: 'src/node/client.ts' }, platform: 'node' });
  await build({
    ...shared,
    entryPoints: { cli: 'src/cli/main.ts' },
    platform: 'node',
    banner: { js: '#!/usr/bin/env node' },
  });
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', client], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  copyFileSync(path.join(root, 'LICENSE'), path.join(client, 'dist/LICENSE'));
  writeFileSync(stampFile, stamp);
}

function fingerprint() {
  const hash = createHash('sha256').update(readFileSync(import.meta.filename));
  const sources = readdirSync(path.join(client, 'src'), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join('src', name));
  for (const name of [...sources, 'package.json', 'tsconfig.json'].sort()) {
    hash.update(name).update(readFileSync(path.join(client, name)));
  }
  return hash.digest('hex');
}
