import type { SqlDriverAdapter, SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';

import type { SqliteConnection } from './connection';

/** A connection of the store as the Prisma client wants it, so that the client opens none of its own. */
export function prismaAdapterOf(connection: SqliteConnection): SqlDriverAdapterFactory {
  const identity = { provider: 'sqlite', adapterName: 'holdfast-sqlite' } as const;
  const adapter: SqlDriverAdapter = {
    ...identity,
    queryRaw: (query) => connection.queryRaw(query),
    executeRaw: (query) => connection.executeRaw(query),
    executeScript: (script) => connection.script(script),
    startTransaction: () =>
      Promise.reject(new Error('The Prisma client has no transactions of its own on SQLite')),
    // The store closes the connection, after its last group.
    dispose: () => Promise.resolve(),
  };
  return { ...identity, connect: () => Promise.resolve(adapter) };
}
