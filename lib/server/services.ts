import { pino, type Logger } from 'pino';

import { buildEndpoints, type Endpoints } from '@/lib/contract/endpoints';
import type { LockContext } from '@/lib/locks/lock-rules';

import { readEnvironment, type Environment } from './env';
import { openStore } from './open-store';

/** Everything that a request needs, built once in each process. */
export interface Services {
  readonly locks: LockContext;
  readonly endpoints: Endpoints;
  readonly log: Logger;
  close(): Promise<void>;
}

// Next bundles the route modules a second time, and reloads them while developing: two connections to one SQLite file
// in one process can lock each other out, so the one set of services hangs on the process.
declare global {
  var holdfastServices: Promise<Services> | undefined;
}

/** The services of this process, opened by the first who asks. A failed start is tried again by the next. */
export function getServices(): Promise<Services> {
  return startServices({ sqliteWorker: null });
}

/**
 * The same, for the process that starts them first.
 *
 * @param sqliteWorker the bundled script of the SQLite connection's thread; null to open the file in this thread.
 */
export function startServices(options: { readonly sqliteWorker: URL | null }): Promise<Services> {
  return (globalThis.holdfastServices ??= tryToOpen(options.sqliteWorker));
}

async function tryToOpen(sqliteWorker: URL | null): Promise<Services> {
  try {
    return await openServices(readEnvironment(), sqliteWorker);
  } catch (error) {
    globalThis.holdfastServices = undefined;
    pino({ base: null }).error({ err: error }, 'the service could not start');
    throw error;
  }
}

async function openServices(environment: Environment, sqliteWorker: URL | null): Promise<Services> {
  const log = pino({ level: environment.logLevel, base: null });
  const settings = {
    ttlMsMax: environment.ttlMsMax,
    retryAfterMsMax: environment.retryAfterMsMax,
  };
  const store = await openStore({ database: environment.database, sqliteWorker, log });
  return {
    locks: { store, settings, monotonicMs: () => performance.now() },
    endpoints: buildEndpoints(settings),
    log,
    close: () => store.close(),
  };
}
