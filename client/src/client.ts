import { acquire, tryAcquire, type LeaseOptions, type WaitOptions } from './acquire.js';
import { checkNumber, checkResource, checkUrl, type Metadata } from './arguments.js';
import { systemClock, type Clock } from './clock.js';
import { pathOf, type Core } from './core.js';
import { UnavailableError } from './errors.js';
import { acquireAll, type LeaseSet } from './lease-set.js';
import type { Lease } from './lease.js';
import { Lock } from './lock.js';
import { createTransport, type Answer } from './transport.js';
import { createWakeups } from './wakeups.js';
import type {
  CheckAnswer,
  InspectAnswer,
  ListAnswer,
  ListQuery,
  Lock as LockOnWire,
} from './wire.js';

export interface ClientOptions {
  /** Where the service is, such as `https://locks.example.com`. */
  readonly url: string;
  /** The secret of an API key, `hf_…`. */
  readonly apiKey?: string | undefined;
  /** How long one answer may take; 3,000 unless given. What is asked then is asked again where that is right. */
  readonly answerTimeoutMs?: number | undefined;
  /** Goes with every lease. */
  readonly metadata?: Metadata | undefined;
  /** Of the network; the platform's own unless given. */
  readonly fetch?: typeof fetch | undefined;
  /** Of time, for tests. */
  readonly clock?: Clock | undefined;
}

/** The locks of one service. */
export interface Client {
  /** A lease, or undefined if somebody else holds the lock. Does not wait for the lock. */
  tryAcquire(resource: string, options?: LeaseOptions): Promise<Lease | undefined>;
  /** A lease, waited for. @throws NotAcquiredError when `waitMs` has passed. */
  acquire(resource: string, options?: WaitOptions): Promise<Lease>;
  /** Leases on several resources, all or none, whatever the order in which they are named. */
  acquireAll(resources: readonly string[], options?: WaitOptions): Promise<LeaseSet>;
  /**
   * Works under a lock. Rejects with the work's own error; else with a LockLostError if the lease was lost before the work
   * ended, since somebody else may have worked at the same time. A release that has no answer is no error: the lease lapses.
   */
  using<Result>(
    resource: string,
    options: WaitOptions,
    work: (lease: Lease) => Promise<Result> | Result,
  ): Promise<Result>;
  /** The lock as it is now, or undefined if nobody holds it. */
  inspect(resource: string): Promise<LockOnWire | undefined>;
  /** One page of the list; `next_cursor` leads to the next. */
  list(query?: ListQuery): Promise<ListAnswer>;
  /**
   * For the protected resource: whether a token is the current lease's, and active. The lease can end right after, so it
   * refuses early and protects nothing: that is done by remembering the largest token.
   */
  check(resource: string, fencingToken: number): Promise<CheckAnswer>;
  /** The classic shape: `acquire(waitMs)` and `release()`. */
  lock(resource: string, options?: WaitOptions): Lock;
}

/** What a platform knows of where a lease is held. */
export interface Place {
  readonly metadata: Metadata;
  readonly ownerPrefix: string;
}

/** @throws BadArgumentError. */
export function createClientAt(place: Place, options: ClientOptions): Client {
  const core = createCore(place, options);
  const read = async <Body>(path: string, body?: unknown): Promise<Answer<Body>> =>
    core.transport.send<Body>({
      method: body === undefined ? 'GET' : 'POST',
      path,
      body,
      timeoutMs: core.answerTimeoutMs,
    });

  return {
    tryAcquire: async (resource, leaseOptions = {}) => tryAcquire(core, resource, leaseOptions),
    acquire: async (resource, waitOptions = {}) => acquire(core, resource, waitOptions),
    acquireAll: async (resources, waitOptions = {}) => acquireAll(core, resources, waitOptions),
    lock: (resource, waitOptions = {}) => new Lock(core, resource, waitOptions),

    async using(resource, waitOptions, work) {
      const lease = await acquire(core, resource, waitOptions);
      try {
        const result = await work(lease);
        lease.throwIfLost();
        if ((await lease.release()) === 'lost') lease.throwIfLost();
        return result;
      } finally {
        await lease.release();
      }
    },

    async inspect(resource) {
      const { status, body } = await read<InspectAnswer>(pathOf(checkResource(resource)));
      return status === 404 ? undefined : body.lock;
    },

    async list(query = {}) {
      const { status, body } = await read<ListAnswer>(`/api/locks${queryOf(query)}`);
      return expectOk(status, body);
    },

    async check(resource, fencingToken) {
      const token = checkNumber(fencingToken, 'fencingToken', 1, true);
      const path = pathOf(checkResource(resource), '/check');
      const { status, body } = await read<CheckAnswer>(path, { fencing_token: token });
      return expectOk(status, body);
    },
  };
}

function createCore({ metadata, ownerPrefix }: Place, options: ClientOptions): Core {
  const clock = options.clock ?? systemClock;
  const transport = createTransport({
    url: checkUrl(options.url),
    apiKey: options.apiKey,
    // The platform's own must be called as a function of the global object.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    clock,
  });
  return {
    clock,
    transport,
    wakeups: createWakeups(transport),
    answerTimeoutMs: checkNumber(options.answerTimeoutMs ?? 3_000, 'answerTimeoutMs', 50, false),
    // 128 random bits; `randomUUID` is missing on pages without TLS.
    mintOwner: () => `${ownerPrefix}/${crypto.getRandomValues(new Uint32Array(4)).join('-')}`,
    metadata: { ...metadata, ...options.metadata },
  };
}

/** @returns `?state=all&limit=5`, or nothing. */
export function queryOf(query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

function expectOk<Body>(status: number, body: Body): Body {
  if (status === 200) return body;
  throw new UnavailableError(`The service answered ${status}`);
}
