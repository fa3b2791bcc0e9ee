import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';

/** Prisma's own schema engine, the part of its tools that reads and migrates databases. */

const root = path.join(import.meta.dirname, '../..');

export type Dialect = 'sqlite' | 'postgresql';

/** What Prisma says would have to change in a SQLite file to make it the schema's. */
export async function differencesFromSchema(url: string): Promise<string> {
  const schema = await schemaFile('sqlite');
  return diff('sqlite', url, {
    from: { tag: 'schemaDatasource', files: [schema], configDir: root },
    to: { tag: 'schemaDatamodel', files: [schema] },
    script: false,
    exitCode: null,
    filters: { externalTables: ['_prisma_migrations'], externalEnums: [] },
  });
}

/** The SQL that Prisma would make an empty database the schema's with. */
export async function scriptOfSchema(dialect: Dialect, url: string): Promise<string> {
  return diff(dialect, url, {
    from: { tag: 'empty' },
    to: { tag: 'schemaDatamodel', files: [await schemaFile(dialect)] },
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
  });
}

async function diff(dialect: Dialect, url: string, wanted: engine.DiffParams): Promise<string> {
  const { path: name, content } = await schemaFile(dialect);
  const datamodels: [string, string][] = [[name, content]];
  const { stdout } = await withEngine({ dialect, url, datamodels }, (schemaEngine) =>
    schemaEngine.diff(wanted),
  );
  return (stdout ?? '').trim();
}

async function schemaFile(dialect: Dialect) {
  const file = path.join(root, 'generated/schema', dialect, 'schema.prisma');
  return { path: 'schema.prisma', content: await readFile(file, 'utf8') };
}

/**
 * Applies the repository's migrations as `prisma migrate deploy` does.
 *
 * @returns the names of those that the database lacked.
 */
export async function deployMigrations(dialect: Dialect, url: string): Promise<readonly string[]> {
  const baseDir = path.join(root, 'prisma', dialect, 'migrations');
  const lockfile = 'migration_lock.toml';
  const names = (await readdir(baseDir)).filter((name) => name !== lockfile).sort();
  const migrationDirectories = await Promise.all(
    names.map(async (name) => {
      const content = await readFile(path.join(baseDir, name, 'migration.sql'), 'utf8');
      const migrationFile = {
        path: 'migration.sql',
        content: { tag: 'ok' as const, value: content },
      };
      return { path: name, migrationFile };
    }),
  );
  const lock = await readFile(path.join(baseDir, lockfile), 'utf8');
  const { appliedMigrationNames } = await withEngine(
    { dialect, url, datamodels: undefined },
    (schemaEngine) =>
      schemaEngine.applyMigrations({
        migrationsList: {
          baseDir,
          lockfile: { path: lockfile, content: lock },
          shadowDbInitScript: '',
          migrationDirectories,
        },
        // Its own ledger must not be hidden from it here.
        filters: { externalTables: [], externalEnums: [] },
      }),
  );
  return appliedMigrationNames;
}

/** Runs with an engine and gives its connection back, which would keep others from a SQLite file. */
async function withEngine<T>(
  { dialect, url, datamodels }: EngineOptions,
  use: (schemaEngine: engine.SchemaEngine) => Promise<T>,
): Promise<T> {
  await (loading ??= loadEngine());
  const connected: SqlMigrationAwareDriverAdapter[] = [];
  const factory = factoryOf(dialect, url);
  const noting: SqlMigrationAwareDriverAdapterFactory = {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connectToShadowDb: () => factory.connectToShadowDb(),
    async connect() {
      const adapter = await factory.connect();
      connected.push(adapter);
      return adapter;
    },
  };
  try {
    const bound = bindMigrationAwareSqlAdapterFactory(noting);
    return await use(await engine.SchemaEngine.new({ datamodels }, () => undefined, bound));
  } finally {
    for (const adapter of connected) await adapter.dispose();
  }
}

interface EngineOptions {
  readonly dialect: Dialect;
  readonly url: string;
  readonly datamodels: [string, string][] | undefined;
}

type SqlMigrationAwareDriverAdapter = Awaited<
  ReturnType<SqlMigrationAwareDriverAdapterFactory['connect']>
>;

function factoryOf(dialect: Dialect, url: string): SqlMigrationAwareDriverAdapterFactory {
  if (dialect === 'sqlite') {
    return new PrismaBetterSqlite3({ url }, { timestampFormat: 'unixepoch-ms' });
  }
  const factory = new PrismaPg({ connectionString: url });
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connectToShadowDb: () => factory.connectToShadowDb(),
    async connect() {
      const adapter = await factory.connect();
      // The adapter cuts scripts at every semicolon; `prisma migrate deploy` sends each as it is.
      adapter.executeScript = async (script) => {
        await adapter.underlyingDriver().query(script);
      };
      return adapter;
    },
  };
}

let loading: Promise<void> | null = null;

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
