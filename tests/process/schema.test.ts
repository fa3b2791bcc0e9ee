import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import { beforeAll, expect, test } from 'vitest';

import { change } from '../support/database';
import { startServer } from '../support/server';

const root = path.join(import.meta.dirname, '../..');

beforeAll(loadEngine);

test('the migrated tables are those of the Prisma schema', async () => {
  const server = await startServer();
  try {
    expect(await differences(server.databaseFile)).toBe('No difference detected.');
    await server.kill('SIGKILL');
    change(server.databaseFile, 'ALTER TABLE lock_events ADD COLUMN extra TEXT');
    expect(await differences(server.databaseFile)).toContain('lock_events');
  } finally {
    await server.stop();
  }
});

/** What Prisma's own engine says would have to change in a database to make it the schema's. */
async function differences(databaseFile: string): Promise<string> {
  const url = `file:${databaseFile}`;
  const schema = {
    path: 'schema.prisma',
    content: await readFile(path.join(root, 'generated/schema/sqlite/schema.prisma'), 'utf8'),
  };
  const adapter = new PrismaBetterSqlite3({ url }, { timestampFormat: 'unixepoch-ms' });
  const schemaEngine = await engine.SchemaEngine.new(
    { datamodels: [[schema.path, schema.content]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(adapter),
  );
  const { stdout } = await schemaEngine.diff({
    from: { tag: 'schemaDatasource', files: [schema], configDir: root },
    to: { tag: 'schemaDatamodel', files: [schema] },
    script: false,
    exitCode: null,
    filters: { externalTables: ['_prisma_migrations'], externalEnums: [] },
  });
  return (stdout ?? '').trim();
}

/** The package's own entry imports a .wasm file, which Node does not; so it is put together by hand. */
async function loadEngine(): Promise<void> {
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
  const bytes = await readFile(path.join(path.dirname(entry), 'schema_engine_bg.wasm'));
  const bindings = bindingsOf(engine);
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': bindings });
  bindings.__wbg_set_wasm(instance.exports);
  startOf(instance.exports)();
}

type Bindings = WebAssembly.ModuleImports & { __wbg_set_wasm: (exports: object) => void };

/** The glue of wasm-bindgen: functions alone, of which the type declarations name the public ones only. */
function bindingsOf(module: object): Bindings {
  return module as Bindings;
}

/** wasm-bindgen exports a function of this name, and WebAssembly's types know no names. */
function startOf(exports: WebAssembly.Exports): () => void {
  return exports['__wbindgen_start'] as () => void;
}
