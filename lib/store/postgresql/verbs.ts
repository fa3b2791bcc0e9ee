import { metadataText, type LockVerbs } from '../lock-verbs';
import {
  acquireOutcomes,
  askReleaseOutcome,
  forceReleaseOutcomes,
  holdOutcome,
  releaseOutcomes,
  renewOutcomes,
  type Reported,
} from '../outcomes';
import type { PostgresDatabase, SqlValue } from './database';

interface VerbOptions {
  /** How long a verb waits for a row or name that another transaction has, in milliseconds. */
  readonly lockMsMax: number;
  /** This process's monotonic clock. */
  readonly monotonicMs: () => number;
}

/**
 * Each verb as one call of the function that the migrations made for it: one statement, and so one transaction. The
 * riders of a group travel as one array for each of their fields. See `prisma/postgresql/migrations`.
 */
export function createVerbs(
  database: PostgresDatabase,
  { lockMsMax, monotonicMs }: VerbOptions,
): LockVerbs {
  async function call(verb: string, ...fields: readonly SqlValue[]): Promise<Reported> {
    const values = [...fields, lockMsMax];
    const places = values.map((_, index) => `$${String(index + 1)}`).join(', ');
    const readAtMs = monotonicMs();
    return { report: await database.value(`SELECT holdfast_${verb}(${places})`, values), readAtMs };
  }

  return {
    async acquire(calls) {
      const reported = await call(
        'acquire',
        calls.map(({ resource }) => resource),
        calls.map(({ owner }) => owner),
        calls.map(({ client }) => client),
        calls.map(({ ttlMs }) => ttlMs),
        calls.map(({ metadata }) => metadataText(metadata)),
        calls.map(({ requestId }) => requestId),
      );
      return acquireOutcomes(calls, reported);
    },

    async renew(calls) {
      const reported = await call(
        'renew',
        calls.map(({ resource }) => resource),
        calls.map(({ owner }) => owner),
        calls.map(({ client }) => client),
        calls.map(({ ttlMs }) => ttlMs),
        calls.map(({ fencingToken }) => fencingToken),
        calls.map(({ requestId }) => requestId),
      );
      return renewOutcomes(calls, reported);
    },

    async release(calls) {
      const reported = await call(
        'release',
        calls.map(({ resource }) => resource),
        calls.map(({ owner }) => owner),
        calls.map(({ client }) => client),
        calls.map(({ fencingToken }) => fencingToken),
        calls.map(({ requestId }) => requestId),
      );
      return releaseOutcomes(calls, reported);
    },

    async forceRelease(calls) {
      const reported = await call(
        'force_release',
        calls.map(({ resource }) => resource),
        calls.map(({ fencingToken }) => fencingToken),
        calls.map(({ reason }) => reason),
        calls.map(({ holdMs }) => holdMs),
        calls.map(({ onlyExpired }) => onlyExpired),
        calls.map(({ actor }) => actor),
        calls.map(({ requestId }) => requestId),
      );
      return forceReleaseOutcomes(calls, reported);
    },

    async hold({ resource, actor, reason, ttlMs, fencingToken, requestId }) {
      return holdOutcome(
        await call('hold', resource, actor, reason, ttlMs, fencingToken, requestId),
      );
    },

    async askRelease({ resource, fencingToken, actor, reason, requestId }) {
      return askReleaseOutcome(
        await call('ask_release', resource, fencingToken, actor, reason, requestId),
      );
    },
  };
}
