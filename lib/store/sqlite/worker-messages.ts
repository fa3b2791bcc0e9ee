import { RolledBack, StoreBusy } from '../errors';
import type { SqliteConnection } from './connection';

/** What the two sides of the connection's thread say to each other. */

export type WorkerCall = {
  [Verb in keyof SqliteConnection]: {
    readonly id: number;
    readonly verb: Verb;
    readonly args: Parameters<SqliteConnection[Verb]>;
  };
}[keyof SqliteConnection];

export type WorkerReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure };

/** An error as data: a thread can't be sent the class, which tells whether anything was written. */
export interface Failure {
  readonly kind: 'busy' | 'rolled-back' | 'unknown';
  readonly message: string;
  /** For the log, which would otherwise show only where the reply arrived. */
  readonly stack: string | null;
}

export function failureOf(error: unknown): Failure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const told = { message, stack: stack ?? null };
  if (error instanceof StoreBusy) return { kind: 'busy', ...told };
  if (error instanceof RolledBack) return { kind: 'rolled-back', ...told };
  return { kind: 'unknown', ...told };
}

export function errorOf(failure: Failure): Error {
  const error = errorOfKind(failure);
  if (failure.stack !== null) error.stack = failure.stack;
  return error;
}

function errorOfKind({ kind, message }: Failure): Error {
  switch (kind) {
    case 'busy':
      return new StoreBusy(message);
    case 'rolled-back':
      return new RolledBack(message);
    case 'unknown':
      return new Error(message);
  }
}
