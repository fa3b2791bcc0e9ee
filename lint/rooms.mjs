import { builtinModules } from 'node:module';
import path from 'node:path';

import { reach } from './reach.mjs';

/**
 * Who may import whom. A room is a folder, and the innermost one counts; each names what of ours it may reach, and which
 * packages are for it. `tests/lint/rooms.test.ts` shows that the rules bite.
 */
const rooms = {
  'lib/locks': { mayReach: [], packages: [], isTimeless: true },
  'lib/contract': { mayReach: ['lib/locks'], packages: ['zod'] },
  'lib/access': { mayReach: ['lib/contract', 'lib/locks'] },
  'lib/events': { mayReach: ['lib/locks'] },
  'lib/store': { mayReach: ['lib/locks', 'generated'] },
  'lib/store/access': {
    mayReach: ['lib/store', 'lib/locks', 'lib/access', 'lib/contract', 'generated'],
  },
  'lib/http': { mayReach: ['lib/contract', 'lib/locks', 'lib/access', 'lib/server', 'lib/events'] },
  'lib/server': {
    mayReach: [
      'lib/store',
      'lib/store/access',
      'lib/locks',
      'lib/contract',
      'lib/access',
      'lib/events',
      'generated',
    ],
  },
  'lib/queries': { mayReach: ['lib/contract'] },
  components: { mayReach: ['lib/queries', 'lib/contract', 'messages'] },
  app: { mayReach: ['components', 'lib/queries', 'lib/contract'] },
  'app/(console)': { mayReach: ['components', 'lib/queries', 'lib/contract'] },
  'app/api': { mayReach: ['lib/http', 'lib/contract'] },
  // A package of its own: nothing of ours, no package, and in its core nothing of one platform.
  client: { mayReach: [], packages: [] },
  'client/src/node': { mayReach: ['client'], packages: ['node:[a-z_/]+'] },
  'client/src/cli': { mayReach: ['client', 'client/src/node'], packages: ['node:[a-z_/]+'] },
};

const browserSafe = new Set(['lib/locks', 'lib/contract', 'lib/queries', 'components']);

// By expressions, not by globs: a glob such as `pg` would take any folder of that name for the package.
const nodeBuiltins = {
  regex: `^(node:|(${builtinModules.join('|')})(/|$))`,
  message: 'This room runs anywhere: no Node built-ins.',
};
const databases = {
  regex: '^(@prisma/|(better-sqlite3|pg|ioredis)(/|$))',
  message: 'Only lib/store talks to a database.',
};
const next = { regex: '^next(/|$)', message: 'Only pages and components know Next.' };

function packagePatterns(room, { packages }) {
  const patterns = [];
  if (room !== 'lib/store' && room !== 'lib/store/access') patterns.push(databases);
  if (room.startsWith('lib/') || room === 'app/api') patterns.push(next);
  if (browserSafe.has(room)) patterns.push(nodeBuiltins);
  if (packages !== undefined) {
    const allowed = packages.map((name) => `|${name}$`).join('');
    const message = `${room} imports ${packages.join(', ') || 'no package'} and nothing else.`;
    patterns.push({ regex: `^(?!\\.|@/${allowed})`, message });
  }
  return patterns;
}

const timeIsGiven = 'The rules take the time as an argument.';
const clocks = [
  { object: 'Date', property: 'now', message: timeIsGiven },
  { object: 'performance', property: 'now', message: timeIsGiven },
];
const newDates = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: timeIsGiven },
  { selector: "CallExpression[callee.name='Date']", message: timeIsGiven },
];

const environmentIsRead =
  'The environment is read in lib/server/env.ts alone, and by the command line in its settings.ts.';
const environment = { object: 'process', property: 'env', message: environmentIsRead };
const hiddenEnvironment = [
  {
    selector: "MemberExpression[property.name='env'][object.property.name='process']",
    message: environmentIsRead,
  },
  {
    selector:
      "ImportDeclaration[source.value=/^(node:)?process$/] ImportSpecifier[imported.name='env']",
    message: environmentIsRead,
  },
];

/** A later configuration of one rule replaces an earlier one, so each room gets all of its own in one. */
function rulesOf(room, rule) {
  const isTimeless = rule.isTimeless === true;
  return {
    'rooms/reach': ['error', { rooms: Object.keys(rooms), room, mayReach: rule.mayReach }],
    'no-restricted-imports': ['error', { patterns: packagePatterns(room, rule) }],
    'no-restricted-properties': ['error', environment, ...(isTimeless ? clocks : [])],
    'no-restricted-syntax': ['error', ...hiddenEnvironment, ...(isTimeless ? newDates : [])],
  };
}

// The widest first: of two that apply to one file the later counts, which must be the innermost room.
const fromOutside = Object.entries(rooms).sort(([one], [other]) => one.length - other.length);

const root = path.resolve(import.meta.dirname, '..');

export const roomRules = [
  { plugins: { rooms: { rules: { reach: reach(root) } } } },
  ...fromOutside.map(([room, rule]) => ({
    files: [`${room}/**/*.{ts,tsx}`],
    ignores: ['**/*.test.ts'],
    rules: rulesOf(room, rule),
  })),
  {
    files: ['lib/server/env.ts', 'client/src/cli/settings.ts'],
    rules: { 'no-restricted-properties': 'off', 'no-restricted-syntax': 'off' },
  },
];
