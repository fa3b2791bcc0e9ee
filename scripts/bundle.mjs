// Bundles server.ts with the route modules into dist/server.mjs; packages stay outside.
import path from 'node:path';

import { build } from 'esbuild';

const root = path.join(import.meta.dirname, '..');

await build({
  absWorkingDir: root,
  entryPoints: ['server.ts'],
  outfile: 'dist/server.mjs',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  packages: 'external',
  sourcemap: 'linked',
  logLevel: 'warning',
});
