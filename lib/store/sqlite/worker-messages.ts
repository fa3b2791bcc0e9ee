import { RolledBack, StoreBusy } from '../group-commit';
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
}

export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StoreBusy) return { kind: 'busy', message };
  if (error instanceof RolledBack) return { kind: 'rolled-back', message };
  return { kind: 'unknown', message };
}

export function errorOf({ kind, message }: Failure): Error {
  switch (kind) {
    case 'busy':
      return new StoreBusy(message);
    case 'rolled-back':
      return new RolledBack(message);
    case 'unknown':
      return new Error(message);
  }
}
