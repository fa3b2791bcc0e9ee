// Makes into generated/, for each dialect: its Prisma schema, from its datasource and the shared models; its Prisma
// client; and its migrations as a module, so that every bundle carries them. And the table of the API's route files, which
// the server mounts beside Next.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const dialects = ['sqlite', 'postgresql'];
const prismaCli = path.join(
  path.dirname(createRequire(import.meta.url).resolve('prisma/package.json')),
  'build/index.js',
);

for (const dialect of dialects) {
  const folder = path.join(root, 'generated/schema', dialect);
  rmSync(path.join(root, `generated/prisma-${dialect}`), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const parts = [`prisma/${dialect}/datasource.prisma`, 'prisma/models.prisma'];
  const text = parts.map((part) => readFileSync(path.join(root, part), 'utf8')).join('\n');
  writeFileSync(path.join(folder, 'schema.prisma'), schemaFor(dialect, text));
  execFileSync(process.execPath, [prismaCli, 'generate'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      PRISMA_DIALECT: dialect,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    },
  });
}

for (const dialect of dialects) {
  const folder = path.join(root, 'prisma', dialect, 'migrations');
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const migrations = names
    .map(({ name }) => ({
      name,
      sql: readFileSync(path.join(folder, name, 'migration.sql'), 'utf8'),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  writeFileSync(
    path.join(root, `generated/migrations-${dialect}.ts`),
    `export const migrations = ${JSON.stringify(migrations, null, 2)} as const;\n`,
  );
}

const routeFiles = readdirSync(path.join(root, 'app/api'), { recursive: true })
  .map((file) => file.replaceAll(path.sep, '/'))
  .filter((file) => file.endsWith('/route.ts'))
  .sort();
writeFileSync(
  path.join(root, 'generated/routes.ts'),
  [
    ...routeFiles.map(
      (file, index) => `import * as route${index} from '@/app/api/${file.slice(0, -3)}';`,
    ),
    'export const routes = [',
    ...routeFiles.map(
      (file, index) =>
        `  { file: '/api/${file.slice(0, -'/route.ts'.length)}', methods: route${index} },`,
    ),
    '] as const;',
    '',
  ].join('\n'),
);

/** The dialect's own lines, with its own type for times: each dialect's Prisma knows no other's native types. */
function schemaFor(dialect, text) {
  const lines = text.split('\n').flatMap((line) => {
    const [kept, only] = line.split(' // only ');
    return only === undefined || only === dialect ? [kept] : [];
  });
  const schema = lines.join('\n');
  if (dialect !== 'postgresql') return schema;
  return schema.replace(/^( +\w+ +DateTime\??)(?= |$)/gm, '$1 @db.Timestamptz(3)');
}
