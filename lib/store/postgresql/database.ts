import pg from 'pg';

import { StoreUnavailable } from '../../locks/errors';
import { notConnected, statementFailure } from './sql-errors';

export interface PostgresOptions {
  /** `postgresql://…`, as node-postgres reads it. */
  readonly url: string;
  readonly connectionsMax: number;
  /** How long connecting, or waiting for a free connection, may take, in milliseconds. */
  readonly connectMsMax: number;
  /** How long one statement may take, in milliseconds, before its connection is given up. */
  readonly statementMsMax: number;
  /** How long a statement waits for a row or name that another transaction has, in milliseconds. */
  readonly lockMsMax: number;
}

export type SqlScalar = string | number | boolean | null;
export type SqlValue = SqlScalar | readonly SqlScalar[];

/**
 * A pool of connections to a PostgreSQL server, or to a pooler in front of it: nothing is kept in a session, and a
 * connection that was silent for too long is given up together with all that are as old.
 */
export class PostgresDatabase {
  readonly #pool: pg.Pool;
  readonly #options: PostgresOptions;
  readonly #beside = new Set<pg.Client>();
  /** By `performance.now()`: connections from before are not trusted any more. */
  #trustedSinceMs = 0;
  #closed: Promise<void> | null = null;
  readonly #openedAtMs = new WeakMap<pg.PoolClient, number>();

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.#pool = new pg.Pool({
      connectionString: options.url,
      application_name: 'holdfast',
      max: options.connectionsMax,
      connectionTimeoutMillis: options.connectMsMax,
      query_timeout: options.statementMsMax,
      keepAlive: true,
    });
    // A connection that breaks while nobody uses it is simply replaced; one in use fails its statement.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      this.#openedAtMs.set(client, performance.now());
      client.on('error', () => undefined);
    });
  }

  /**
   * Runs one statement in a transaction of its own and returns the first column of its first row, after the commit was
   * acknowledged.
   *
   * @throws StoreBusy when nothing was written and trying again may help, RolledBack when the statement itself failed:
   *   nothing was written. After any other error what was written is not known.
   */
  async value(text: string, values: readonly SqlValue[]): Promise<unknown> {
    return this.#withClient((client) => firstValue(client, text, values));
  }

  /** The same, for a statement that only reads and may be long: the server itself ends it in time. */
  async readValue(text: string, values: readonly SqlValue[]): Promise<unknown> {
    return this.#withClient((client) => readOnly(client, serverMsMax(this.#options), text, values));
  }

  /**
   * The same for what takes longer than anybody would wait, on a connection of its own: no call waits for one because of
   * it.
   */
  async readValueBeside(text: string, values: readonly SqlValue[]): Promise<unknown> {
    const { url, connectMsMax } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      application_name: 'holdfast',
      connectionTimeoutMillis: connectMsMax,
      query_timeout: 2 * besideMsMax,
      keepAlive: true,
    });
    client.on('error', () => undefined);
    this.#beside.add(client);
    try {
      await client.connect();
      return await readOnly(client, besideMsMax, text, values);
    } finally {
      this.#beside.delete(client);
      await client.end();
    }
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#end());
  }

  /** Nobody waits for what is read beside the calls: it is broken off. */
  async #end(): Promise<void> {
    await Promise.all([...[...this.#beside].map((client) => client.end()), this.#pool.end()]);
  }

  async #withClient<T>(run: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connection();
    try {
      const result = await run(client);
      client.release();
      return result;
    } catch (error) {
      const failure = statementFailure(error);
      if (failure.isLate) this.#trustedSinceMs = performance.now();
      client.release(failure.isConnectionSound ? undefined : true);
      throw failure.error;
    }
  }

  /** @throws StoreBusy when there is no connecting just now: nothing was sent. */
  async #connection(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.#pool.connect().catch(notConnected);
      if ((this.#openedAtMs.get(client) ?? 0) >= this.#trustedSinceMs) return client;
      client.release(true);
    }
  }
}

/** How long the server may take for what nobody waits for, in milliseconds. */
const besideMsMax = 30_000;

/** The server ends a read before its client gives the connection up. */
function serverMsMax({ statementMsMax }: PostgresOptions): number {
  return Math.max(1, Math.floor(statementMsMax * 0.9));
}

/** However it ends, no transaction is left open: whoever gets the connection next would be refused every statement. */
async function readOnly(
  client: pg.ClientBase,
  msMax: number,
  text: string,
  values: readonly SqlValue[],
): Promise<unknown> {
  await client.query(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${String(msMax)}`);
  try {
    const value = await firstValue(client, text, values);
    await client.query('COMMIT');
    return value;
  } catch (error) {
    // A connection that gave no answer is not sound, and is not asked again.
    if (statementFailure(error).isConnectionSound) await client.query('ROLLBACK');
    throw error;
  }
}

async function firstValue(
  client: pg.ClientBase,
  text: string,
  values: readonly SqlValue[],
): Promise<unknown> {
  const { rows } = await client.query<unknown[]>({ text, values: [...values], rowMode: 'array' });
  const [row] = rows;
  if (row === undefined) throw new StoreUnavailable('PostgreSQL answered no row');
  return row[0];
}
