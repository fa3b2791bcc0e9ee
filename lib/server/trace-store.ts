import type { Span, Tracer } from '@opentelemetry/api';

import type { LockStore } from '@/lib/locks/lock-store';

import { activeCall } from './traces';

interface TraceStoreOptions {
  readonly tracer: Tracer;
  /** What the locks are in. */
  readonly kind: string;
  readonly api: Pick<typeof import('@opentelemetry/api'), 'SpanKind' | 'SpanStatusCode'>;
}

/**
 * The same store, with a span for each call that is made of it for a traced call: from when it begins to wait to its
 * outcome. That of a call which rode in a group tells how many it rode with, and how long their transaction took.
 */
export function traceStore(store: LockStore, { tracer, kind, api }: TraceStoreOptions): LockStore {
  const riding = new WeakMap<object, Span>();
  store.watch({
    onGroup({ riders, calls, tookMs }) {
      for (const rider of riders) {
        riding.get(rider)?.setAttributes({
          'holdfast.group.calls': calls,
          'holdfast.group.took_ms': tookMs,
        });
      }
    },
  });

  const traced =
    <Call, Outcome>(verb: string, run: (call: Call) => Promise<Outcome>) =>
    async (call: Call): Promise<Outcome> => {
      const parent = activeCall();
      if (parent === null) return run(call);
      const attributes = { 'db.system.name': kind, 'db.operation.name': verb };
      const options = { kind: api.SpanKind.CLIENT, attributes };
      const span = tracer.startSpan(`store ${verb}`, options, parent.context);
      if (typeof call === 'object' && call !== null) riding.set(call, span);
      try {
        return await run(call);
      } catch (error) {
        // Its words may name what is not for a collector.
        span.setAttribute('error.type', error instanceof Error ? error.name : 'Error');
        span.setStatus({ code: api.SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    };

  return {
    ...store,
    acquire: traced('acquire', (call) => store.acquire(call)),
    renew: traced('renew', (call) => store.renew(call)),
    release: traced('release', (call) => store.release(call)),
    forceRelease: traced('force_release', (calls) => store.forceRelease(calls)),
    hold: traced('hold', (call) => store.hold(call)),
    askRelease: traced('ask_release', (call) => store.askRelease(call)),
    inspect: traced('inspect', (resource) => store.inspect(resource)),
    list: traced('list', (query) => store.list(query)),
    events: traced('events', (query) => store.events(query)),
    askers: traced('askers', (resource) => store.askers(resource)),
    usage: traced('usage', (query) => store.usage(query)),
    lockUsage: traced('lock_usage', (query) => store.lockUsage(query)),
  };
}
