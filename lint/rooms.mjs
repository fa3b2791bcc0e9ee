/**
 * Who may import whom. A room is a folder; each names what of ours it may reach, and which packages are not for it.
 * `tests/lint/rooms.test.ts` shows that the rules bite.
 */
const rooms = {
  'lib/locks': { mayReach: [], packages: 'none', noClock: true },
  'lib/contract': { mayReach: ['lib/locks'], packages: ['zod'] },
  'lib/store': { mayReach: ['lib/locks', 'prisma'] },
  'lib/http': { mayReach: ['lib/contract', 'lib/locks', 'lib/access', 'lib/server'] },
  'lib/server': {
    mayReach: ['lib/store', 'lib/locks', 'lib/contract', 'lib/access', 'lib/events'],
  },
  'lib/queries': { mayReach: ['lib/contract'] },
  components: { mayReach: ['lib/queries', 'lib/contract'] },
  'app/api': { mayReach: ['lib/http', 'lib/contract'] },
  'app/(console)': { mayReach: ['components', 'lib/queries', 'lib/contract'] },
};

const allRooms = [
  'lib/locks',
  'lib/contract',
  'lib/store',
  'lib/access',
  'lib/events',
  'lib/http',
  'lib/server',
  'lib/queries',
  'components',
  'app',
  'client',
  'tests',
  'e2e',
  'bench',
  'prisma',
];

const nodeBuiltins = { group: ['node:*'], message: 'This room runs anywhere: no Node built-ins.' };
const browserSafe = new Set(['lib/locks', 'lib/contract', 'lib/queries', 'components']);
const databases = {
  group: ['@prisma/*', 'better-sqlite3', 'pg', 'ioredis'],
  message: 'Only lib/store talks to a database.',
};
const next = { group: ['next', 'next/*'], message: 'Only app/ and components/ know Next.' };

/** Inside a room, imports are relative and stay; across rooms they are written `@/room/…`, except between rooms of lib. */
function patternsFor(room, { mayReach, packages }) {
  const forbidden = allRooms.filter((other) => other !== room && !mayReach.includes(other));
  const patterns = forbidden.map((other) => {
    const short = other.startsWith('lib/') ? other.slice(4) : other;
    const relative = other.startsWith('lib/')
      ? [`**/../${short}/**`, `../${short}/*`, `../${short}`]
      : [];
    return {
      group: [`@/${other}/**`, `@/${other}`, ...relative],
      message: `${room} may not import ${other}: see lint/rooms.mjs.`,
    };
  });
  if (room !== 'lib/store') patterns.push(databases);
  if (room.startsWith('lib/')) patterns.push(next);
  if (browserSafe.has(room)) patterns.push(nodeBuiltins);
  if (packages === 'none') {
    patterns.push({
      regex: '^[^.]',
      message: `${room} is plain TypeScript: it imports no package.`,
    });
  } else if (Array.isArray(packages)) {
    patterns.push({
      regex: `^(?!\\.|@/|(${packages.join('|')})$)`,
      message: `${room} imports ${packages.join(', ')} and nothing else.`,
    });
  }
  return patterns;
}

const clockProperties = [
  { object: 'Date', property: 'now', message: 'The rules take the time as an argument.' },
  { object: 'performance', property: 'now', message: 'The rules take the time as an argument.' },
];

export const roomRules = [
  ...Object.entries(rooms).map(([room, rule]) => ({
    files: [`${room}/**/*.{ts,tsx}`],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': ['error', { patterns: patternsFor(room, rule) }],
      ...(rule.noClock ? { 'no-restricted-properties': ['error', ...clockProperties] } : {}),
    },
  })),
  {
    files: ['lib/**/*.ts', 'components/**', 'app/**'],
    ignores: ['lib/server/env.ts', '**/*.test.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'The environment is read in lib/server/env.ts alone.',
        },
      ],
    },
  },
];
