import { pino, type Logger } from 'pino';

import type { AccessControl } from '@/lib/access/access-control';
import { parseTrustedProxies, type TrustedProxies } from '@/lib/access/trusted-proxies';
import { buildEndpoints, type Endpoints } from '@/lib/contract/endpoints';
import type { LockContext } from '@/lib/locks/lock-rules';

import { openAccessOf } from './access';
import { EnvironmentError, readEnvironment, type Environment } from './env';
import { openStore } from './open-store';

/** Everything that a request needs, built once in each process. */
export interface Services {
  readonly locks: LockContext;
  readonly endpoints: Endpoints;
  readonly access: AccessControl;
  readonly settings: WebSettings;
  readonly log: Logger;
  close(): Promise<void>;
}

/** What the routes need to know of the network that they are in. */
export interface WebSettings {
  readonly publicOrigin: string | null;
  readonly trustedProxies: TrustedProxies;
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
  const web = {
    publicOrigin: environment.publicOrigin,
    trustedProxies: trustedProxiesOf(environment),
  };
  const { database, lockStore } = environment;
  const store = await openStore({ database, lockStore, sqliteWorker, log });
  try {
    const { access, close } = await openAccessOf(environment, log);
    return {
      locks: { store, settings, monotonicMs: () => performance.now() },
      endpoints: buildEndpoints(settings),
      access,
      settings: web,
      log,
      close: async () => {
        await Promise.all([close(), store.close()]);
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** @throws EnvironmentError */
function trustedProxiesOf({ trustedProxies }: Environment): TrustedProxies {
  try {
    return parseTrustedProxies(trustedProxies);
  } catch (error) {
    const entry = error instanceof Error ? error.message : trustedProxies;
    throw new EnvironmentError(
      `HOLDFAST_TRUSTED_PROXIES must be addresses and networks such as 10.0.0.0/8, and has ${entry}`,
    );
  }
}
