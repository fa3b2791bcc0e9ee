import { pino, type DestinationStream, type Logger } from 'pino';
import pretty from 'pino-pretty';

export interface LogOptions {
  readonly level: string;
  /** For a person at a terminal rather than for a program. */
  readonly isPretty: boolean;
  /** Where it goes; standard output unless given. */
  readonly destination?: DestinationStream;
  /** Texts that are never written, wherever they turn up: keys, passwords, the secret of sessions. */
  readonly secrets: readonly string[];
  /** What every line carries of the call that it comes from. */
  readonly fieldsOfCall?: () => Readonly<Record<string, string>>;
}

/** One JSON object on one line for each event: whatever a name holds, it cannot begin another line. */
export function createLog(given: LogOptions): Logger {
  const { level, isPretty, destination, secrets, fieldsOfCall } = given;
  const hide = hider(secrets);
  const options = {
    level,
    base: null,
    ...(fieldsOfCall === undefined ? {} : { mixin: fieldsOfCall }),
    redact: { paths: secretPaths, censor: hidden },
    formatters: { log: (fields: object) => cleaned(fields, hide, 0) as Record<string, unknown> },
    serializers: { err: (error: unknown) => error },
    hooks: {
      logMethod(this: Logger, args: Parameters<pino.LogFn>, method: pino.LogFn) {
        const [first, ...rest] = args;
        const given = first instanceof Error && rest.length === 0 ? told(first) : args;
        const clean = given.map((arg: unknown) => (typeof arg === 'string' ? hide(arg) : arg));
        method.apply(this, clean as Parameters<pino.LogFn>);
      },
    },
  };
  if (isPretty) return pino(options, pretty({ sync: true, translateTime: 'SYS:HH:MM:ss.l' }));
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** An error alone, which pino would take apart by itself. */
function told(error: unknown): unknown[] {
  return [{ err: error }, error instanceof Error ? error.message : ''];
}

const hidden = '[hidden]';
const secretPaths = ['authorization', 'cookie', 'password', 'secret', 'token'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.headers["${name}"]`,
]);

/** What looks like a secret of ours: keys, links, credentials in an address, and what headers carry. */
const secretShapes = [
  /\bhfl?_[\w-]{8,}/g,
  /\bBearer +[^\s"',]+/gi,
  /(?<=\b\w{2,20}:\/\/[^\s:/@]{0,200}:)[^\s@]{1,500}(?=@)/g,
  /(?<=session_token=)[^\s;"]+/g,
];

/** Line and paragraph separators, and what turns the direction of text: some readers take them for more than text. */
const misleading = /[\u0085\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function hider(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter((secret) => secret.length >= 4);
  return (text) => {
    let shown = text;
    for (const secret of known) shown = shown.replaceAll(secret, hidden);
    for (const shape of secretShapes) shown = shown.replace(shape, hidden);
    return shown.replace(
      misleading,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  };
}

const depthMax = 6;

/** The same with every text cleaned. Of an error its type, words, stack and code, and those of its cause. */
function cleaned(value: unknown, hide: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return hide(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= depthMax) return '[deeper]';
  if (value instanceof Error) return cleaned(factsOf(value), hide, depth + 1);
  if (Array.isArray(value)) return value.map((each) => cleaned(each, hide, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [hide(key), cleaned(each, hide, depth + 1)]),
  );
}

/** Drivers hang what they like on their errors, settings and values included: only this much is written. */
function factsOf(error: Error) {
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(error.cause === undefined ? {} : { cause: error.cause }),
    ...(error instanceof AggregateError ? { errors: error.errors as unknown[] } : {}),
  };
}
