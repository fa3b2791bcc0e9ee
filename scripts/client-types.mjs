// Writes client/src/wire.ts: the types of the client, from the OpenAPI document that the service serves. The document is
// made from lib/contract, which is bundled for this.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';
import { format } from 'prettier';

import { wireTypes } from './openapi-types.mjs';

const root = path.join(import.meta.dirname, '..');
const bundle = path.join(root, 'generated/openapi-document.mjs');

await build({
  absWorkingDir: root,
  stdin: {
    contents: `
      import { buildEndpoints } from './lib/contract/endpoints';
      import { buildOpenApi } from './lib/contract/openapi';
      import { defaultLockSettings } from './lib/locks/limits';
      export const document = buildOpenApi(buildEndpoints(defaultLockSettings));`,
    resolveDir: root,
    loader: 'ts',
  },
  outfile: bundle,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});
const { document } = await import(pathToFileURL(bundle).href);
const text = await format(wireTypes(document), {
  parser: 'typescript',
  singleQuote: true,
  printWidth: 100,
});
writeFileSync(path.join(root, 'client/src/wire.ts'), text);
