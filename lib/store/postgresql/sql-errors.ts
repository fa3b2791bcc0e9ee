import pg from 'pg';

import { RolledBack, StoreBusy } from '../errors';

/** What an error of node-postgres says about the transaction it ended. */
export interface StatementFailure {
  /** What group commit is told: `StoreBusy`, `RolledBack`, or the error itself when what was written is not known. */
  readonly error: unknown;
  /** Whether the connection may be used again. */
  readonly isConnectionSound: boolean;
  /** Whether no answer came in time. */
  readonly isLate: boolean;
}

/** Nothing was written and another try may go through: deadlock, serialisation failure, a lock not had in time. */
const passing = new Set(['40P01', '40001', '55P03']);

/** Nothing was written and one call of the group may be why: bad data, a constraint, a limit, no tokens left. */
const ofOneCall = /^(?:22|23|54|53200|P0001)/;

/**
 * The server is another than it was: a replica by now, and the next connection may lead to the new primary. Or a failed
 * transaction was left open, in which nothing is carried out any more.
 */
const unsound = new Set(['25006', '25P02']);

export function statementFailure(error: unknown): StatementFailure {
  if (!(error instanceof pg.DatabaseError) || error.severity !== 'ERROR') {
    return { error, isConnectionSound: false, isLate: isTimeout(error) };
  }
  const { code = '' } = error;
  const known = { isConnectionSound: !unsound.has(code), isLate: false };
  if (passing.has(code)) {
    return { ...known, error: new StoreBusy('PostgreSQL is busy', { cause: error }) };
  }
  if (ofOneCall.test(code)) {
    return { ...known, error: new RolledBack('PostgreSQL refused a statement', { cause: error }) };
  }
  return { ...known, error };
}

/**
 * What group commit is told of a connection that could not be had.
 *
 * @throws StoreBusy when it may be had in a moment: the server starts, stops, is full or away. Nothing was sent.
 */
export function notConnected(error: unknown): never {
  if (error instanceof pg.DatabaseError && !comesAndGoes.has(error.code ?? '')) throw error;
  throw new StoreBusy('PostgreSQL takes no connection', { cause: error });
}

const comesAndGoes = new Set(['57P01', '57P02', '57P03', '53300']);

/** node-postgres gives no code to a statement that was not answered in time. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}
