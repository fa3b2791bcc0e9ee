import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';

import type { LockStore } from '@/lib/locks/lock-store';

import type { TraceSettings } from './trace-settings';
import { traceStore } from './trace-store';
import { activeCall, serveWithin, type TracedCall, type Traces } from './traces';

export interface OpenedTraces extends Traces {
  /** The same store, with a span for each call of it that a traced call makes. */
  traceStore(store: LockStore, kind: string): LockStore;
}

interface TracesOptions {
  readonly settings: TraceSettings;
  readonly version: string;
  readonly log: Logger;
}

/** A stop waits no longer for a collector that does not take what is left. */
const flushMsMax = 2_000;

/**
 * Loads the SDK, which reads what is its own of the environment. Spans wait in a bounded queue and leave in batches, so
 * that a collector which is slow or away costs spans, and never a call. Nothing is registered for the whole process: the
 * packages that look for a tracer there would add spans of their own to every call.
 */
export async function openTraces(options: TracesOptions): Promise<OpenedTraces> {
  const [api, core, sdk] = await loadSdk();
  const exporter = tellingOfTrouble(await loadExporter(options.settings), options.log);
  const provider = new sdk.BasicTracerProvider({
    resource: await resourceOf(options.version),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('holdfast', options.version);
  const propagator = new core.W3CTraceContextPropagator();
  const headersGetter = {
    get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
    keys: (headers: Headers) => [...headers.keys()],
  };
  const begin = ({ method, route, verb, requestId, headers }: TracedCall) => {
    const parent = propagator.extract(api.ROOT_CONTEXT, headers, headersGetter);
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      'holdfast.verb': verb,
      'holdfast.request_id': requestId,
    };
    const kind = api.SpanKind.SERVER;
    const span = tracer.startSpan(`${method} ${route}`, { kind, attributes }, parent);
    return { span, context: api.trace.setSpan(parent, span), isOver: false };
  };
  return {
    traceStore: (store, kind) => traceStore(store, { tracer, kind, api }),
    async serve(traced, run) {
      const call = begin(traced);
      try {
        const response = await serveWithin(call, run);
        call.span.setAttribute('http.response.status_code', response.status);
        if (response.status >= 500) {
          call.span.setAttribute('error.type', String(response.status));
          call.span.setStatus({ code: api.SpanStatusCode.ERROR });
        }
        return response;
      } finally {
        call.isOver = true;
        call.span.end();
      }
    },
    note: (attribute, value) => void activeCall()?.span.setAttribute(attribute, value),
    async close() {
      // What can't be sent has been told of by then.
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, sleep(flushMsMax, undefined, { ref: false })]);
    },
  };
}

function loadSdk() {
  return Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace-base'),
  ]);
}

async function loadExporter({ protocol }: TraceSettings): Promise<SpanExporter> {
  if (protocol === 'http/json') {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
    return new OTLPTraceExporter();
  }
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

async function resourceOf(version: string) {
  const { detectResources, envDetector, resourceFromAttributes } =
    await import('@opentelemetry/resources');
  return resourceFromAttributes({
    'service.name': 'holdfast',
    'service.version': version,
    'service.instance.id': randomUUID(),
  }).merge(detectResources({ detectors: [envDetector] }));
}

/** Says once that spans can't be sent, and once that they can be again. */
function tellingOfTrouble(exporter: SpanExporter, log: Logger): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const hasFailed = result.error !== undefined || result.code !== 0;
        if (hasFailed && !isFailing) log.warn({ err: result.error }, 'traces can not be sent');
        if (!hasFailed && isFailing) log.info('traces are sent again');
        isFailing = hasFailed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

