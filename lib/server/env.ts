import { z } from 'zod';

import { defaultLockSettings } from '@/lib/locks/limits';

/** The environment, parsed once. Everything has a default that works, and a wrong value stops the start. */
export interface Environment {
  readonly host: string;
  readonly port: number;
  readonly database: DatabaseChoice;
  readonly ttlMsMax: number;
  readonly retryAfterMsMax: number;
  readonly logLevel: string;
}

/** A file on this machine, or a server. */
export type DatabaseChoice =
  | { readonly kind: 'sqlite'; readonly url: string }
  | {
      readonly kind: 'postgresql';
      readonly url: string;
      readonly connectionsMax: number;
      readonly connectMsMax: number;
      readonly statementMsMax: number;
      readonly lockMsMax: number;
    };

const maxTtl = 'must be a whole number of seconds from 1 to 31536000';

const wholeNumber = (message: string, min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message));

const milliseconds = wholeNumber(
  'must be a whole number of milliseconds from 50 to 60000',
  50,
  60_000,
);

const schema = z.object({
  HOST: z
    .string()
    .refine(
      isLoopback,
      'must be a loopback address (127.0.0.1, ::1 or localhost): without access control every caller is an operator',
    )
    .default('127.0.0.1'),
  PORT: wholeNumber('must be a port from 0 to 65535', 0, 65_535).default(3000),
  DATABASE_URL: z
    .string()
    .superRefine((url, context) => {
      const message = databaseUrlProblem(url);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .default('file:./data/holdfast.db'),
  HOLDFAST_DATABASE_CONNECTIONS: wholeNumber(
    'must be a whole number from 2 to 200',
    2,
    200,
  ).default(10),
  HOLDFAST_DATABASE_CONNECT_TIMEOUT_MS: milliseconds.default(1_500),
  HOLDFAST_DATABASE_STATEMENT_TIMEOUT_MS: milliseconds.default(1_800),
  HOLDFAST_DATABASE_LOCK_TIMEOUT_MS: milliseconds.default(1_000),
  HOLDFAST_MAX_TTL_SECONDS: wholeNumber(maxTtl, 1, 31_536_000).default(
    defaultLockSettings.ttlMsMax / 1000,
  ),
  HOLDFAST_RETRY_AFTER_MS: wholeNumber(
    'must be a whole number of milliseconds from 1 to 60000',
    1,
    60_000,
  ).default(defaultLockSettings.retryAfterMsMax),
  HOLDFAST_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], {
      error: 'must be fatal, error, warn, info, debug or silent',
    })
    .default('info'),
});

/** A variable of the environment is wrong: the message is one line for each, fit to be printed before the process ends. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/** @throws EnvironmentError */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  // An empty variable means the same as none: compose files and shells make them by accident.
  const given = Object.entries(variables).filter(([, value]) => value !== '');
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
    throw new EnvironmentError(lines.join('\n'));
  }
  const { data } = parsed;
  return {
    host: data.HOST,
    port: data.PORT,
    database: databaseChoice(data),
    ttlMsMax: data.HOLDFAST_MAX_TTL_SECONDS * 1000,
    retryAfterMsMax: data.HOLDFAST_RETRY_AFTER_MS,
    logLevel: data.HOLDFAST_LOG_LEVEL,
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function databaseChoice(data: z.output<typeof schema>): DatabaseChoice {
  const url = data.DATABASE_URL;
  if (url.startsWith('file:')) return { kind: 'sqlite', url };
  return {
    kind: 'postgresql',
    url,
    connectionsMax: data.HOLDFAST_DATABASE_CONNECTIONS,
    connectMsMax: data.HOLDFAST_DATABASE_CONNECT_TIMEOUT_MS,
    statementMsMax: data.HOLDFAST_DATABASE_STATEMENT_TIMEOUT_MS,
    lockMsMax: data.HOLDFAST_DATABASE_LOCK_TIMEOUT_MS,
  };
}

/** What node-postgres understands, and nothing that it would silently leave out. */
const postgresParameters = new Set([
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'uselibpqcompat',
  'options',
  'host',
]);

/** A sentence that never repeats the address: it may hold a password. */
function databaseUrlProblem(url: string): string | null {
  if (url.startsWith('file:')) {
    if (url === 'file:' || url === 'file::memory:') {
      return 'must be a SQLite file such as file:./data/holdfast.db';
    }
    return url.includes('?') ? 'takes no parameters after "?" for a SQLite file' : null;
  }
  if (!/^postgres(?:ql)?:\/\/./.test(url)) {
    return 'must be a SQLite file such as file:./data/holdfast.db, or postgresql://user:password@host:5432/database';
  }
  if (!URL.canParse(url)) {
    return 'is no valid address: special characters in its password must be percent-encoded';
  }
  const unknown = [...new URL(url).searchParams.keys()].filter(
    (name) => !postgresParameters.has(name),
  );
  if (unknown.length === 0) return null;
  return `has parameters that would have no effect: ${unknown.join(', ')} (the pool and timeouts are set by HOLDFAST_DATABASE_…)`;
}
