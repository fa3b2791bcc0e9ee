import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, test } from 'vitest';

import { roomRules } from '@/lint/rooms.mjs';

// Only the rules in question, without types: the files of the snippets need not exist.
const eslint = new ESLint({
  cwd: process.cwd(),
  overrideConfigFile: true,
  overrideConfig: [
    { files: ['**/*.{ts,tsx}'], languageOptions: { parser: tseslint.parser } },
    ...roomRules,
  ],
});

/** The rules that refuse a snippet, were it in that file; each once. */
async function refusals(filePath: string, code: string): Promise<readonly string[]> {
  const [result] = await eslint.lintText(code, { filePath });
  if (result === undefined) throw new Error(`${filePath} was not linted`);
  expect(result.fatalErrorCount, JSON.stringify(result.messages)).toBe(0);
  return [...new Set(result.messages.map(({ ruleId }) => ruleId ?? ''))];
}

const ownRoom = 'rooms/reach';
const ownPackages = 'no-restricted-imports';

/** For a file of each room, what it imports with good reason, and what it may not. */
const rooms = {
  'lib/locks/file.ts': {
    allowed: ['./lease', './deep/file'],
    rooms: ['../contract/fields', '@/lib/store/group-commit', '../http/route', '@/components/ui/x'],
    packages: ['zod', 'node:fs', 'fs', 'next/server', '@prisma/client', 'react'],
  },
  'lib/contract/file.ts': {
    allowed: ['./fields', '../locks/limits', '@/lib/locks/limits', 'zod'],
    rooms: [
      '../store/group-commit',
      '@/lib/http/wire',
      '../queries/paths',
      '../../components/ui/x',
    ],
    packages: ['node:crypto', 'crypto', 'next', 'react', 'zod/mini', '@prisma/client'],
  },
  'lib/access/file.ts': {
    allowed: ['./callers', '@/lib/contract/access', '../locks/patterns', 'better-auth', 'node:net'],
    rooms: ['../store/access/keys', '@/lib/http/route', '../server/env', '@/components/ui/x'],
    packages: ['@prisma/client', 'better-sqlite3', 'pg', 'next/headers'],
  },
  'lib/store/access/file.ts': {
    allowed: ['../errors', '../../access/access-store', '@prisma/adapter-pg', 'zod'],
    rooms: ['../../http/route', '@/lib/server/env', '@/components/ui/x'],
    packages: ['next/server', 'next'],
  },
  'lib/store/sqlite/file.ts': {
    allowed: ['./rows', '../group-commit', '../../locks/lease', '@/generated/prisma-sqlite/client'],
    rooms: [
      '../../contract/fields',
      '@/lib/http/wire',
      '../../server/env',
      '@/app/api/locks/route',
    ],
    packages: ['next/headers', 'next'],
  },
  'lib/store/memory/file.ts': {
    allowed: ['better-sqlite3', '@prisma/client', 'pg', 'ioredis', 'node:path', 'zod'],
    rooms: [
      '../../queries/paths',
      '@/lib/events/feed',
      '@/lib/access/keys',
      '@/tests/stores/drive',
    ],
    packages: [],
  },
  'lib/http/handlers/file.ts': {
    allowed: ['../route', '@/lib/contract/problems', '../../locks/lease', '@/lib/server/services'],
    rooms: [
      '../../store/group-commit',
      '@/lib/store/x',
      '../../queries/paths',
      '@/generated/routes',
    ],
    packages: ['better-sqlite3', 'pg', 'ioredis', '@prisma/client', 'next/server'],
  },
  'lib/server/file.ts': {
    allowed: ['./env', '@/lib/store/group-commit', '../contract/endpoints', 'pino', 'node:path'],
    rooms: ['../http/route', '@/lib/queries/paths', '@/components/ui/x', '../../app/page'],
    packages: ['better-sqlite3', 'next'],
  },
  'lib/queries/file.ts': {
    allowed: ['./paths', '../contract/answers', '@/lib/contract/answers', '@tanstack/react-query'],
    rooms: ['../locks/lease', '@/lib/http/wire', '../store/group-commit', '../../components/ui/x'],
    packages: ['node:fs/promises', 'fs', 'path', 'next/navigation', 'pg'],
  },
  'components/locks/file.tsx': {
    allowed: ['./row', '../ui/button', '@/lib/queries/paths', '@/messages/en.json', 'next/link'],
    rooms: ['../../lib/locks/lease', '@/lib/http/wire', '@/lib/store/x', '../../app/layout'],
    packages: ['node:fs', 'fs', '@prisma/client', 'better-sqlite3'],
  },
  // A folder of a room may bear the name of another room.
  'components/release/file.tsx': {
    allowed: ['../locks/row', '../queries/x', '../access/member', 'react'],
    rooms: ['../../lib/store/x', '../../lib/server/env'],
    packages: ['pg'],
  },
  'app/api/locks/[resource]/route.ts': {
    allowed: ['@/lib/http/route', '@/lib/contract/endpoints', '../../../../lib/http/route'],
    rooms: [
      '@/lib/store/x',
      '@/lib/locks/lease',
      '../../../../lib/server/services',
      '@/components/x',
    ],
    packages: ['next/headers', 'next/server', '@prisma/client', 'better-sqlite3'],
  },
  'app/(console)/locks/page.tsx': {
    allowed: ['@/components/locks/x', '@/lib/queries/paths', '../layout', 'next/link', 'nuqs'],
    rooms: [
      '@/lib/http/route',
      '../../../lib/store/x',
      '@/lib/locks/lease',
      '../../api/locks/route',
    ],
    packages: ['@prisma/client', 'pg'],
  },
  'app/layout.tsx': {
    allowed: ['@/components/shell/x', './globals.css', 'next/font/local'],
    rooms: ['../lib/server/services', '@/lib/store/x', './api/locks/route'],
    packages: ['ioredis'],
  },
  'client/src/file.ts': {
    allowed: ['./other.js', '../package'],
    rooms: ['../../lib/contract/answers', '@/lib/locks/limits', './node/client.js', './cli/run.js'],
    packages: ['pg', 'node:os', 'fs', 'zod', 'next'],
  },
  'client/src/node/file.ts': {
    allowed: ['../client.js', 'node:os'],
    rooms: ['../../../lib/contract/answers', '../cli/run.js'],
    packages: ['pg', 'os', 'zod'],
  },
  'client/src/cli/file.ts': {
    allowed: [
      './run.js',
      '../lease.js',
      '../node/client.js',
      'node:child_process',
      'node:fs/promises',
    ],
    rooms: ['../../../lib/contract/answers', '@/lib/locks/limits'],
    packages: ['pg', 'fs', 'zod', 'yargs'],
  },
} as const;

/** Each way in which one module may name another. */
const spellings: readonly ((specifier: string) => string)[] = [
  (specifier) => `import { x } from '${specifier}';`,
  (specifier) => `import type { X } from '${specifier}';`,
  (specifier) => `import '${specifier}';`,
  (specifier) => `export * from '${specifier}';`,
  (specifier) => `export { x } from '${specifier}';`,
];
const lateSpellings: readonly ((specifier: string) => string)[] = [
  (specifier) => `const x = await import('${specifier}');`,
  (specifier) => `type X = import('${specifier}').X;`,
];

describe.each(Object.entries(rooms))('%s', (filePath, { allowed, rooms: others, packages }) => {
  test('may import what its room is for', async () => {
    for (const specifier of allowed) {
      for (const spell of [...spellings, ...lateSpellings]) {
        expect(await refusals(filePath, spell(specifier)), spell(specifier)).toEqual([]);
      }
    }
  });

  test('may not reach into other rooms, however it spells them', async () => {
    for (const specifier of others) {
      for (const spell of [...spellings, ...lateSpellings]) {
        expect(await refusals(filePath, spell(specifier)), spell(specifier)).toContain(ownRoom);
      }
    }
  });

  test('may not import packages that are for other rooms', async () => {
    for (const specifier of packages) {
      for (const spell of spellings) {
        expect(await refusals(filePath, spell(specifier)), spell(specifier)).toEqual([ownPackages]);
      }
    }
  });
});

describe('the clock', () => {
  test.each([
    'Date.now();',
    "Date['now']();",
    'const { now } = Date;',
    'performance.now();',
    'new Date();',
    'Date();',
  ])('is not read by the rules of locks: %s', async (code) => {
    expect(await refusals('lib/locks/file.ts', code)).toHaveLength(1);
    expect(await refusals('lib/store/memory/file.ts', code)).toEqual([]);
  });

  test('is not needed to write a time that is given', async () => {
    const code = 'export const at = (ms: number) => new Date(ms).toISOString();';
    expect(await refusals('lib/locks/file.ts', code)).toEqual([]);
  });
});

describe('the environment', () => {
  const reads = [
    'process.env.PORT;',
    "process.env['PORT'];",
    "process['env'];",
    'const { env } = process;',
    'globalThis.process.env.PORT;',
    "import { env } from 'node:process';",
  ];

  test.each(reads)('is read in two places: %s', async (code) => {
    expect(await refusals('lib/server/env.ts', code)).toEqual([]);
    expect(await refusals('client/src/cli/settings.ts', code)).toEqual([]);
  });

  test.each(reads)('is read nowhere else: %s', async (code) => {
    for (const filePath of ['lib/server/services.ts', ...Object.keys(rooms)]) {
      expect(await refusals(filePath, code), filePath).not.toEqual([]);
    }
  });
});

test('a test may import from any room', async () => {
  const code = "import '@/lib/store/memory/memory-store'; Date.now();";
  expect(await refusals('lib/locks/file.test.ts', code)).toEqual([]);
});
