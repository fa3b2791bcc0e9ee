import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  Transaction,
} from '@prisma/driver-adapter-utils';

import type { WaitingClock } from '../waiting-clock';
import { backOffMs } from '../waiting-clock';
import { durabilityPragmas } from './lock-file';

interface TransactionsOptions {
  /** `file:` and a path. */
  readonly url: string;
  readonly waiting: WaitingClock;
  /** How long a statement waits for a busy file, in milliseconds. */
  readonly patienceMs: number;
}

/**
 * The Prisma client's way to the file for keys and people, apart from that of the locks. It has transactions: each takes
 * the writer at its start, and has a connection of its own, on which no other statement can slip in.
 */
export function prismaWithTransactions(options: TransactionsOptions): SqlDriverAdapterFactory {
  const identity = { provider: 'sqlite', adapterName: 'holdfast-sqlite-access' } as const;
  return { ...identity, connect: () => connect(options, identity) };
}

type Identity = Pick<SqlDriverAdapter, 'provider' | 'adapterName'>;

async function connect(
  options: TransactionsOptions,
  identity: Identity,
): Promise<SqlDriverAdapter> {
  const persist = <T>(run: () => Promise<T>) => withPatience(run, options);
  const [statements, transactions] = await Promise.all([open(options), open(options)]);
  let last: Promise<unknown> = Promise.resolve();

  async function startTransaction(): Promise<Transaction> {
    const before = last;
    let leave: () => void = () => undefined;
    last = new Promise<void>((resolve) => (leave = resolve));
    await before;
    try {
      await persist(() => transactions.executeRaw(plain('BEGIN IMMEDIATE')));
    } catch (error) {
      leave();
      throw error;
    }
    const end = (sql: string) => transactions.executeRaw(plain(sql)).then(leave);
    return {
      ...identity,
      // The client then sends no COMMIT of its own.
      options: { usePhantomQuery: true },
      queryRaw: (query) => transactions.queryRaw(query),
      executeRaw: (query) => transactions.executeRaw(query),
      // A transaction that could not be committed must not stay open under the next one.
      commit: () =>
        end('COMMIT').catch((error: unknown) => rollBackAfter(transactions, error).finally(leave)),
      rollback: () => end('ROLLBACK').finally(leave),
    };
  }

  return {
    ...identity,
    queryRaw: (query) => persist(() => statements.queryRaw(query)),
    executeRaw: (query) => persist(() => statements.executeRaw(query)),
    executeScript: (script) => persist(() => statements.executeScript(script)),
    startTransaction,
    dispose: async () => {
      await Promise.all([statements.dispose(), transactions.dispose()]);
    },
  };
}

async function open(options: TransactionsOptions): Promise<SqlDriverAdapter> {
  const factory = new PrismaBetterSqlite3(
    { url: options.url, timeout: 0 },
    { timestampFormat: 'unixepoch-ms' },
  );
  const adapter = await factory.connect();
  try {
    await withPatience(() => adapter.executeScript(durabilityPragmas), options);
    return adapter;
  } catch (error) {
    await adapter.dispose();
    throw error;
  }
}

function plain(sql: string): SqlQuery {
  return { sql, args: [], argTypes: [] };
}

async function rollBackAfter(adapter: SqlDriverAdapter, error: unknown): Promise<never> {
  await adapter.executeRaw(plain('ROLLBACK')).catch(() => 0);
  throw error;
}

async function withPatience<T>(
  run: () => Promise<T>,
  { waiting, patienceMs }: TransactionsOptions,
): Promise<T> {
  const patientUntilMs = waiting.now() + patienceMs;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isAdapterBusy(error) || waiting.now() >= patientUntilMs) throw error;
      await waiting.sleep(backOffMs(attempt, waiting));
    }
  }
}

/** The adapter names every SQLITE_BUSY a SocketTimeout. */
function isAdapterBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { cause } = error;
  return (
    typeof cause === 'object' && cause !== null && 'kind' in cause && cause.kind === 'SocketTimeout'
  );
}
