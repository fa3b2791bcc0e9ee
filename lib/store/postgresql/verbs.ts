import { z } from 'zod';

import { contentionLimits, tidyAgain } from '../../locks/contention';
import {
  denialFields,
  denialRider,
  metadataText,
  renewalFields,
  renewalRider,
  tidiedMax,
  type LockVerbs,
} from '../lock-verbs';
import {
  acquireOutcomes,
  askReleaseOutcome,
  forceReleaseOutcomes,
  holdOutcome,
  releaseOutcomes,
  renewOutcomes,
  type Reported,
} from '../outcomes';
import { parseForgottenReport, parseNotedReport } from '../reports';
import type { PostgresDatabase, SqlScalar, SqlValue } from './database';

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
      const riders = calls.map((rider) => ({ ...rider, metadata: metadataText(rider.metadata) }));
      return acquireOutcomes(calls, await call('acquire', ...columns(riders, acquireFields)));
    },

    async renew(calls) {
      return renewOutcomes(calls, await call('renew_2', ...columns(calls, renewFields)));
    },

    async release(calls) {
      return releaseOutcomes(calls, await call('release', ...columns(calls, releaseFields)));
    },

    async forceRelease(calls) {
      const fields = columns(calls, forceReleaseFields);
      return forceReleaseOutcomes(calls, await call('force_release', ...fields));
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

    async noteDenials(denials) {
      const fields = columns(denials.map(denialRider), denialFields);
      await call('note_denials', ...fields, askingMs, toldEveryMs, askersMax);
    },

    async noteRenewals(notes) {
      await call('note_renewals', ...columns(notes.map(renewalRider), renewalFields));
    },

    async tidyDenials() {
      const { report } = await call('tidy_denials', askingMs, toldEveryMs, tidiedMax);
      return z.enum(tidyAgain).parse(report);
    },

    async noteEnds({ holder, turnMs, leases }) {
      const fields = columns(leases, endedFields);
      return parseNotedReport((await call('note_ends', holder, turnMs, ...fields)).report);
    },

    async forgetOld({ holder, turnMs, retentionMs, batchMax, after }) {
      const begin = [after?.atMs ?? 0, Number(after?.id ?? 0)];
      const fields = [holder, turnMs, retentionMs, batchMax, ...begin];
      return parseForgottenReport((await call('forget_old', ...fields)).report);
    },
  };
}

// In the order of the functions' parameters.
const acquireFields = ['resource', 'owner', 'client', 'ttlMs', 'metadata', 'requestId'] as const;
const renewFields = ['resource', 'owner', 'client', 'ttlMs', 'fencingToken', 'requestId'] as const;
const releaseFields = ['resource', 'owner', 'client', 'fencingToken', 'requestId'] as const;
const forceReleaseFields = [
  'resource',
  'fencingToken',
  'reason',
  'holdMs',
  'onlyExpired',
  'actor',
  'requestId',
] as const;

const { askingMs, toldEveryMs, askersMax } = contentionLimits;

const endedFields = ['resource', 'fencingToken'] as const;

/** One array for each field, with the riders in their order. */
function columns<Field extends string>(
  riders: readonly Readonly<Record<Field, SqlScalar>>[],
  fields: readonly Field[],
): SqlScalar[][] {
  return fields.map((field) => riders.map((rider) => rider[field]));
}
