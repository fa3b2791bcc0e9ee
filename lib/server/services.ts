import type { Logger } from 'pino';

import { EventHub } from '@/lib/events/event-hub';
import { CallerSlots } from '@/lib/events/caller-slots';
import type { AccessControl } from '@/lib/access/access-control';
import { parseTrustedProxies, type TrustedProxies } from '@/lib/access/trusted-proxies';
import { buildEndpoints, type Endpoints } from '@/lib/contract/endpoints';
import type { LockContext } from '@/lib/locks/lock-rules';
import type { LockStore } from '@/lib/locks/lock-store';
import { withNotes } from '@/lib/store/notes';
import { systemWaiting } from '@/lib/store/system-waiting';

import { openAccessOf } from './access';
import { BulkReads } from './bulk-reads';
import { EnvironmentError, readEnvironment, type Environment } from './env';
import { createLog } from './log';
import { createMetrics, type Metrics } from './metrics';
import { openStore } from './open-store';
import { readStatus, type Status } from './status';
import { startUpkeep } from './upkeep';
import { version } from './version';

/** Everything that a request needs, built once in each process. */
export interface Services {
  readonly locks: LockContext;
  readonly endpoints: Endpoints;
  readonly access: AccessControl;
  readonly settings: WebSettings;
  readonly metrics: Metrics;
  readonly status: () => Promise<Status>;
  /** Set by the door when it begins to stop: what is ready takes new callers. */
  readonly readiness: { isStopping: boolean };
  readonly events: { readonly hub: EventHub; readonly slots: CallerSlots };
  readonly exports: CallerSlots;
  readonly bulkReads: BulkReads;
  readonly log: Logger;
  close(): Promise<void>;
}

/** What the routes need to know of the network that they are in. */
export interface WebSettings {
  readonly publicOrigin: string | null;
  readonly trustedProxies: TrustedProxies;
}

/** An export holds a page in memory for as long as its reader takes, and makes the next from the lock calls' time. */
const exportSlots = { max: 8, perCallerMax: 2 };

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
    createLog({ level: 'info', isPretty: false, secrets: [] }).error(
      { err: error },
      'the service could not start',
    );
    throw error;
  }
}

async function openServices(environment: Environment, sqliteWorker: URL | null): Promise<Services> {
  const log = createLog({
    level: environment.logLevel,
    isPretty: process.stdout.isTTY,
    secrets: secretsOf(environment),
  });
  const settings = {
    ttlMsMax: environment.ttlMsMax,
    retryAfterMsMax: environment.retryAfterMsMax,
  };
  const web = {
    publicOrigin: environment.publicOrigin,
    trustedProxies: trustedProxiesOf(environment),
  };
  const { database, lockStore, retentionMs } = environment;
  const opened = await openStore({ database, lockStore, retentionMs, sqliteWorker, log });
  const { reports } = opened;
  const store = withNotes(opened.store, {
    waiting: systemWaiting,
    onLost: (error) => log.warn({ err: error }, 'some denied attempts could not be counted'),
  });
  try {
    const { access, close } = await openAccessOf(environment, log);
    const stopUpkeep = startUpkeep({ store, access: access.store, retentionMs, log });
    const monotonicMs = () => performance.now();
    const hub = openHub(store, log);
    const slots = new CallerSlots(environment.streams);
    const build = { version, store: lockStore === null ? database.kind : ('redis' as const) };
    return {
      locks: { store, settings, monotonicMs },
      endpoints: buildEndpoints(settings),
      access,
      settings: web,
      readiness: { isStopping: false },
      metrics: createMetrics({ store, hub, slots, build }),
      status: () => readStatus({ version, store, reports, monotonicMs }),
      events: { hub, slots },
      exports: new CallerSlots(exportSlots),
      bulkReads: new BulkReads(),
      log,
      close: async () => {
        await stopUpkeep();
        hub.close();
        await Promise.all([close(), store.close()]);
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function secretsOf(environment: Environment): readonly string[] {
  const { apiKey, secret, admin, oidc, lockStore } = environment;
  const redis = [lockStore?.target.password, lockStore?.target.sentinelPassword];
  const all = [apiKey, secret, admin?.password, oidc?.clientSecret, ...redis];
  return all.flatMap((each) => each ?? []);
}

function openHub(store: LockStore, log: Logger): EventHub {
  return new EventHub({
    store,
    onTrouble(trouble) {
      if (trouble.kind === 'unread') log.error({ err: trouble.error }, 'events can not be read');
      else {
        log.warn(
          { lagMs: trouble.lagMs },
          'a transaction that is open in the database keeps new events from being told',
        );
      }
    },
  });
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
