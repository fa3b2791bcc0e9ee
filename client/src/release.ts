import { sleep } from './clock.js';
import { backoffMs, pathOf, type Core } from './core.js';

/** What became of a lease at its release: over by then, or not known since the service did not answer (it lapses). */
export type Released = 'released' | 'lost' | 'unknown';

/** Tells the service that a lease is over, and again when there is no answer. Never rejects. */
export async function release(
  { clock, transport, answerTimeoutMs }: Core,
  lease: {
    readonly resource: string;
    readonly owner: string;
    readonly fencingToken: number | undefined;
    readonly withinMs: number;
    readonly tries: number;
  },
): Promise<{ readonly released: Released; readonly code?: string | undefined }> {
  const startedMs = clock.monotonicMs();
  for (let attempt = 0; attempt < lease.tries; attempt += 1) {
    const leftMs = lease.withinMs - (clock.monotonicMs() - startedMs);
    if (leftMs <= 0) break;
    if (attempt > 0) await sleep(clock, backoffMs(clock, attempt, 50, leftMs / 4));
    try {
      const { status, problem } = await transport.send({
        method: 'DELETE',
        path: pathOf(lease.resource),
        body: { owner: lease.owner, fencing_token: lease.fencingToken },
        timeoutMs: Math.min(answerTimeoutMs, Math.max(leftMs / 2, 50)),
      });
      // "Not found" of a second try says that the first one took effect, and its answer got lost.
      const isDone = status === 204 || (attempt > 0 && problem.code === 'not-found');
      return isDone ? { released: 'released' } : { released: 'lost', code: problem.code };
    } catch {
      // No answer: maybe. It is sent again, and in the end the lease lapses by itself.
    }
  }
  return { released: 'unknown' };
}
