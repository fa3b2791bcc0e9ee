import { AsyncLocalStorage } from 'node:async_hooks';

import type { Context, Span } from '@opentelemetry/api';

/** One call of an endpoint, as it came. */
export interface TracedCall {
  readonly method: string;
  /** The path of its row in the endpoint table, in which no name of a lock is. */
  readonly route: string;
  readonly verb: string;
  readonly requestId: string;
  /** For the trace that the caller has begun. */
  readonly headers: Headers;
}

/** Spans of calls. Where nobody has asked for traces there is none of it, and nothing of the SDK is loaded. */
export interface Traces {
  /** Serves a call within a span of its own. */
  serve(call: TracedCall, run: () => Promise<Response>): Promise<Response>;
  /** Adds what became known of the call that is being served. */
  note(attribute: 'holdfast.outcome' | 'holdfast.resource', value: string): void;
  /** Sends what is left, for as long as a stop can wait for it. */
  close(): Promise<void>;
}

/** The call that is being served, in whatever follows from it. */
export interface ActiveCall {
  readonly span: Span;
  readonly context: Context;
  /** Timers that it has started go on after its answer, and are no part of it. */
  isOver: boolean;
}

const serving = new AsyncLocalStorage<ActiveCall>();

export function serveWithin<T>(call: ActiveCall, run: () => T): T {
  return serving.run(call, run);
}

export function activeCall(): ActiveCall | null {
  const call = serving.getStore();
  return call === undefined || call.isOver ? null : call;
}

/** For each line of the log, so that one finds it from the trace and the other way round. */
export function traceFields(): Record<string, string> {
  const call = activeCall();
  if (call === null) return {};
  const { traceId, spanId } = call.span.spanContext();
  return { trace_id: traceId, span_id: spanId };
}
