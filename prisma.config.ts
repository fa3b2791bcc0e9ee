import { defineConfig } from 'prisma/config';

// The CLI wants the path of a schema engine even for `generate`, which does not use it. Any file that exists will do;
// migrations are applied at start, by lib/store/sqlite/migrate.ts, without that engine.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

const dialect = process.env['PRISMA_DIALECT'] ?? 'sqlite';

export default defineConfig({
  schema: `generated/schema/${dialect}/schema.prisma`,
  migrations: { path: `prisma/${dialect}/migrations` },
  datasource: { url: process.env['DATABASE_URL'] ?? 'file:./data/holdfast.db' },
});
