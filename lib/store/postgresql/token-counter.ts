import pg from 'pg';
import { z } from 'zod';

import { createGroupCommit } from '../group-commit';
import { raisedFrom, type TokenCounter, type TokenRaise } from '../token-counter';
import type { PostgresOptions } from './database';
import { postgresGroupCommit } from './postgresql-store';
import { notConnected, statementFailure } from './sql-errors';

/** How long the command tries while grants are under way, in milliseconds. */
const patienceMs = 30_000;

const counterRow = z.tuple([z.tuple([z.string().transform(Number)])]);

/** A sequence that was never asked shows its first number, and has given none. */
const counterStatement = `SELECT (CASE WHEN is_called THEN last_value ELSE last_value - 1 END)::text FROM fencing_tokens`;

/**
 * `setval` sets whatever it is told: from a value that was read before, a token drawn meanwhile would be given again. ALTER
 * SEQUENCE, which changes nothing here, waits for every transaction that has drawn one, and keeps all others from it until
 * this transaction ends. Nobody can be in between, whoever it is. Grants wait no longer for it than a call may.
 */
const takeSequence = `BEGIN; SET LOCAL lock_timeout = '1s'; SET LOCAL idle_in_transaction_session_timeout = '5s';
  SET LOCAL synchronous_commit = on; ALTER SEQUENCE fencing_tokens OWNED BY NONE`;

/** The role must own the sequence, as the one does that made the tables. */
export function openPostgresCounter(
  options: Pick<PostgresOptions, 'url' | 'connectMsMax'>,
): TokenCounter {
  const { url, connectMsMax } = options;
  const commits = createGroupCommit({
    ...postgresGroupCommit,
    patienceMs,
    answerMsMax: 2 * patienceMs,
  });
  const withClient = <T>(run: (client: pg.Client) => Promise<T>) =>
    commits.runWithPatience(async () => {
      const client = new pg.Client({
        connectionString: url,
        connectionTimeoutMillis: connectMsMax,
        application_name: 'holdfast tokens',
      });
      client.on('error', () => undefined);
      await client.connect().catch(notConnected);
      try {
        return await run(client);
      } catch (error) {
        throw statementFailure(error).error;
      } finally {
        await client.end().catch(() => undefined);
      }
    });
  return {
    read: () => withClient(readCounter),
    raise: (raise) => withClient((client) => raiseCounter(client, raise)),
    close: () => commits.close(),
  };
}

async function raiseCounter(client: pg.Client, raise: TokenRaise) {
  await client.query(takeSequence);
  const before = await readCounter(client);
  const after = raisedFrom(before, raise);
  if (after !== null && after > before) {
    await client.query(`SELECT setval('fencing_tokens', $1)`, [after]);
  }
  await client.query('COMMIT');
  return after === null ? null : { before, after };
}

async function readCounter(client: pg.Client): Promise<number> {
  const { rows } = await client.query({ text: counterStatement, rowMode: 'array' });
  return counterRow.parse(rows)[0][0];
}
