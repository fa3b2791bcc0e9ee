import { readFileSync } from 'node:fs';
import path from 'node:path';

import { format } from 'prettier';
import { expect, test } from 'vitest';

import { version } from '@/client/src/version';
import { buildEndpoints } from '@/lib/contract/endpoints';
import { buildOpenApi } from '@/lib/contract/openapi';
import { defaultLockSettings } from '@/lib/locks/limits';
import { wireTypes } from '@/scripts/openapi-types.mjs';

const client = path.join(import.meta.dirname, '../../client');

function read(file: string): string {
  return readFileSync(path.join(client, file), 'utf8');
}

test('the types of the client are those of the OpenAPI document: `node scripts/client-types.mjs` makes them', async () => {
  const document = buildOpenApi(buildEndpoints(defaultLockSettings));
  const made = await format(wireTypes(document), {
    parser: 'typescript',
    singleQuote: true,
    printWidth: 100,
  });
  expect(read('src/wire.ts')).toBe(made);
});

test('the client tells its version as its package does, and depends on nothing', () => {
  const manifest = JSON.parse(read('package.json')) as Record<string, unknown>;
  expect(manifest['version']).toBe(version);
  expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
});
