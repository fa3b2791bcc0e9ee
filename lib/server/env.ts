import { z } from 'zod';

import { defaultLockSettings } from '@/lib/locks/limits';

/** The environment, parsed once. Everything has a default that works, and a wrong value stops the start. */
export interface Environment {
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly ttlMsMax: number;
  readonly retryAfterMsMax: number;
  readonly logLevel: string;
}

const maxTtl = 'must be a whole number of seconds from 1 to 31536000';

const wholeNumber = (message: string, min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message));

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
    .regex(/^file:(?!:memory:$)./, 'must be a SQLite file such as file:./data/holdfast.db')
    .default('file:./data/holdfast.db'),
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
    databaseUrl: data.DATABASE_URL,
    ttlMsMax: data.HOLDFAST_MAX_TTL_SECONDS * 1000,
    retryAfterMsMax: data.HOLDFAST_RETRY_AFTER_MS,
    logLevel: data.HOLDFAST_LOG_LEVEL,
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
