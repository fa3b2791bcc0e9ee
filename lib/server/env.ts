import { z } from 'zod';

import type { OidcSettings } from '@/lib/access/oidc';
import { emailField, passwordField } from '@/lib/contract/access-fields';
import { defaultLockSettings } from '@/lib/locks/limits';
import { parseRedisUrl, type RedisTarget } from '@/lib/store/redis/redis-url';

import { readTraceSettings, traceVariableNames, type TraceSettings } from './trace-settings';

/** The environment, parsed once. Everything has a default that works, and a wrong value stops the start. */
export interface Environment {
  readonly host: string;
  readonly port: number;
  readonly database: DatabaseChoice;
  /** Where locks are, if not in the database as well. */
  readonly lockStore: LockStoreChoice | null;
  readonly ttlMsMax: number;
  readonly retryAfterMsMax: number;
  readonly retentionMs: number;
  readonly logLevel: string;
  /** Where people reach the service, as an origin; null to go by the address that they use. */
  readonly publicOrigin: string | null;
  readonly trustedProxies: string;
  readonly apiKey: string | null;
  /** Signs sessions; null for one that is kept beside a SQLite file. */
  readonly secret: string | null;
  readonly admin: { readonly email: string; readonly password: string } | null;
  readonly sessionSeconds: number;
  readonly callsPerSecond: number;
  readonly oidc: OidcSettings | null;
  readonly shutdownGraceMs: number;
  readonly streams: { readonly max: number; readonly perCallerMax: number };
  /** Null unless a collector of traces is named. */
  readonly traces: TraceSettings | null;
}

/** A file on this machine, or a server. */
export type DatabaseChoice =
  | { readonly kind: 'sqlite'; readonly url: string }
  | {
      readonly kind: 'postgresql';
      readonly url: string;
      /** Of the server itself, where `url` leads to a pooler. */
      readonly directUrl: string;
      readonly connectionsMax: number;
      readonly connectMsMax: number;
      readonly statementMsMax: number;
      readonly lockMsMax: number;
    };

/** A Redis, and what every key of ours in it begins with. */
export interface LockStoreChoice {
  readonly target: RedisTarget;
  readonly prefix: string;
}

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
    .regex(/^[\w.:-]+$/, 'must be an address to listen on')
    .default('127.0.0.1'),
  PORT: wholeNumber('must be a port from 0 to 65535', 0, 65_535).default(3000),
  DATABASE_URL: z
    .string()
    .superRefine((url, context) => {
      const message = databaseUrlProblem(url);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .default('file:./data/holdfast.db'),
  DATABASE_DIRECT_URL: z
    .string()
    .superRefine((url, context) => {
      const message = url.startsWith('file:') ? postgresUrlWanted : databaseUrlProblem(url);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .optional(),
  HOLDFAST_SHUTDOWN_GRACE_MS: wholeNumber(
    'must be a whole number of milliseconds from 0 to 60000',
    0,
    60_000,
  ).default(0),
  HOLDFAST_STREAMS_MAX: wholeNumber('must be a whole number from 1 to 10000', 1, 10_000).default(
    500,
  ),
  HOLDFAST_STREAMS_PER_CALLER: wholeNumber(
    'must be a whole number from 1 to 10000',
    1,
    10_000,
  ).default(20),
  LOCK_STORE_URL: z
    .string()
    .transform((url, context) => {
      const target = parseRedisUrl(url);
      return typeof target === 'string' ? refuse(context, target) : target;
    })
    .optional(),
  HOLDFAST_REDIS_PREFIX: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, "_", "." or "-"')
    .default('holdfast'),
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
  HOLDFAST_RETENTION_DAYS: wholeNumber(
    'must be a whole number of days from 1 to 3650',
    1,
    3650,
  ).default(30),
  HOLDFAST_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], {
      error: 'must be fatal, error, warn, info, debug or silent',
    })
    .default('info'),
  HOLDFAST_PUBLIC_URL: z
    .string()
    .transform((text, context) => originOf(text) ?? refuse(context, publicUrl))
    .optional(),
  HOLDFAST_TRUSTED_PROXIES: z.string().default(''),
  HOLDFAST_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{32,512}$/, 'must be 32 to 512 characters of ASCII without spaces')
    .optional(),
  HOLDFAST_SECRET: z.string().min(32, 'must be at least 32 characters').optional(),
  HOLDFAST_ADMIN_EMAIL: emailField.optional(),
  HOLDFAST_ADMIN_PASSWORD: passwordField.optional(),
  HOLDFAST_SESSION_HOURS: wholeNumber(
    'must be a whole number of hours from 1 to 720',
    1,
    720,
  ).default(12),
  HOLDFAST_CALLS_PER_SECOND: wholeNumber(
    'must be a whole number from 1 to 1000000',
    1,
    1_000_000,
  ).default(5000),
  HOLDFAST_OIDC_ISSUER: z.url({ protocol: /^https?$/, error: 'must be a URL' }).optional(),
  HOLDFAST_OIDC_CLIENT_ID: z.string().optional(),
  HOLDFAST_OIDC_CLIENT_SECRET: z.string().optional(),
  HOLDFAST_OIDC_ROLE_CLAIM: z.string().default('holdfast_role'),
});

type Variables = z.output<typeof schema>;

const postgresUrlWanted = 'must be postgresql://user:password@host:5432/database';
const publicUrl = 'must be the address that people use, such as https://locks.example.com';

function originOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.pathname === '/' && url.search === '' && url.hash === '';
  return isPlain && /^https?:$/.test(url.protocol) && url.username === '' ? url.origin : null;
}

function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** What no variable is wrong in alone. One line for each problem. */
function disagreements(data: Variables): string[] {
  const problems: string[] = [];
  if (!data.DATABASE_URL.startsWith('file:') && data.HOLDFAST_SECRET === undefined) {
    problems.push(
      'HOLDFAST_SECRET is needed with PostgreSQL, the same for every instance: such as the output of openssl rand -base64 36',
    );
  }
  if ((data.HOLDFAST_ADMIN_EMAIL === undefined) !== (data.HOLDFAST_ADMIN_PASSWORD === undefined)) {
    problems.push('HOLDFAST_ADMIN_EMAIL and HOLDFAST_ADMIN_PASSWORD are given together or not');
  }
  const oidc = [
    data.HOLDFAST_OIDC_ISSUER,
    data.HOLDFAST_OIDC_CLIENT_ID,
    data.HOLDFAST_OIDC_CLIENT_SECRET,
  ];
  if (new Set(oidc.map((value) => value === undefined)).size > 1) {
    problems.push(
      'HOLDFAST_OIDC_ISSUER is given together with HOLDFAST_OIDC_CLIENT_ID and HOLDFAST_OIDC_CLIENT_SECRET, or not',
    );
  }
  if (oidc[0] !== undefined && data.HOLDFAST_PUBLIC_URL === undefined) {
    problems.push(
      'HOLDFAST_PUBLIC_URL is needed with HOLDFAST_OIDC_ISSUER: people come back to it',
    );
  }
  return problems;
}

/** A variable of the environment is wrong: the message is one line for each, fit to be printed before the process ends. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/** @throws EnvironmentError */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const data = parseVariables(variables);
  const { traces, problems: ofTraces } = readTraceSettings(variables);
  const problems = [...disagreements(data), ...ofTraces];
  if (problems.length > 0) throw new EnvironmentError(problems.join('\n'));
  return {
    host: data.HOST,
    port: data.PORT,
    database: databaseChoice(data),
    lockStore: lockStoreChoice(data),
    ttlMsMax: data.HOLDFAST_MAX_TTL_SECONDS * 1000,
    retryAfterMsMax: data.HOLDFAST_RETRY_AFTER_MS,
    retentionMs: data.HOLDFAST_RETENTION_DAYS * 86_400_000,
    logLevel: data.HOLDFAST_LOG_LEVEL,
    shutdownGraceMs: data.HOLDFAST_SHUTDOWN_GRACE_MS,
    streams: { max: data.HOLDFAST_STREAMS_MAX, perCallerMax: data.HOLDFAST_STREAMS_PER_CALLER },
    traces,
    ...accessOf(data),
  };
}

/**
 * The database alone, for commands that serve nobody and so need no secret.
 *
 * @throws EnvironmentError
 */
export function readDatabaseChoice(variables: NodeJS.ProcessEnv = process.env): DatabaseChoice {
  return databaseChoice(parseVariables(variables));
}

/** The names of all variables. */
export const variableNames: readonly string[] = [
  ...Object.keys(schema.shape),
  ...traceVariableNames,
];

function parseVariables(variables: NodeJS.ProcessEnv): Variables {
  // An empty variable means the same as none: compose files and shells make them by accident.
  const given = Object.entries(variables).filter(([, value]) => value !== '');
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  throw new EnvironmentError(lines.join('\n'));
}

function accessOf(data: Variables) {
  const email = data.HOLDFAST_ADMIN_EMAIL;
  const password = data.HOLDFAST_ADMIN_PASSWORD;
  const issuer = data.HOLDFAST_OIDC_ISSUER;
  return {
    publicOrigin: data.HOLDFAST_PUBLIC_URL ?? null,
    trustedProxies: data.HOLDFAST_TRUSTED_PROXIES,
    apiKey: data.HOLDFAST_API_KEY ?? null,
    secret: data.HOLDFAST_SECRET ?? null,
    admin: email === undefined || password === undefined ? null : { email, password },
    sessionSeconds: data.HOLDFAST_SESSION_HOURS * 3600,
    callsPerSecond: data.HOLDFAST_CALLS_PER_SECOND,
    oidc:
      issuer === undefined
        ? null
        : {
            issuer,
            clientId: data.HOLDFAST_OIDC_CLIENT_ID ?? '',
            clientSecret: data.HOLDFAST_OIDC_CLIENT_SECRET ?? '',
            roleClaim: data.HOLDFAST_OIDC_ROLE_CLAIM,
          },
  };
}

function databaseChoice(data: z.output<typeof schema>): DatabaseChoice {
  const url = data.DATABASE_URL;
  if (url.startsWith('file:')) return { kind: 'sqlite', url };
  return {
    kind: 'postgresql',
    url,
    directUrl: data.DATABASE_DIRECT_URL ?? url,
    connectionsMax: data.HOLDFAST_DATABASE_CONNECTIONS,
    connectMsMax: data.HOLDFAST_DATABASE_CONNECT_TIMEOUT_MS,
    statementMsMax: data.HOLDFAST_DATABASE_STATEMENT_TIMEOUT_MS,
    lockMsMax: data.HOLDFAST_DATABASE_LOCK_TIMEOUT_MS,
  };
}

function lockStoreChoice(data: Variables): LockStoreChoice | null {
  const target = data.LOCK_STORE_URL;
  return target === undefined ? null : { target, prefix: data.HOLDFAST_REDIS_PREFIX };
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
