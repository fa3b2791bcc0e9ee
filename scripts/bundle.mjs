// Bundles server.ts with the route modules, the thread of the SQLite connection, and the command that raises the
// token counter, into dist/; packages stay outside.
import path from 'node:path';

import { build } from 'esbuild';

const root = path.join(import.meta.dirname, '..');

await build({
  absWorkingDir: root,
  entryPoints: {
    server: 'server.ts',
    'sqlite-worker': 'lib/store/sqlite/worker.ts',
    tokens: 'tokens.ts',
  },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  packages: 'external',
  sourcemap: 'linked',
  logLevel: 'warning',
});
