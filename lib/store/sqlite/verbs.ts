import { randomUUID } from 'node:crypto';

import { denialRider, metadataText, renewalRider, type LockVerbs } from '../lock-verbs';
import {
  acquireOutcomes,
  askReleaseOutcome,
  forceReleaseOutcomes,
  holdOutcome,
  releaseOutcomes,
  renewOutcomes,
} from '../outcomes';
import { parseForgottenReport, parseNotedReport } from '../reports';
import type { SqliteConnection } from './connection';
import type { Rows, SqlValue } from './lock-file';
import * as rows from './rows';
import * as contention from './statements/contention';
import * as lease from './statements/lease';
import * as operator from './statements/operator';
import { createParts, type VerbStatements } from './statements/parts';
import * as upkeep from './statements/upkeep';

/**
 * Each verb of the store as one transaction: riders in, statements run, outcomes out.
 *
 * @param clock an SQL expression for now in milliseconds.
 * @param monotonicMs this process's monotonic clock.
 */
export function createVerbs(
  connection: SqliteConnection,
  clock: string,
  monotonicMs: () => number,
): LockVerbs {
  const run = createRunner(connection, monotonicMs);
  const parts = createParts(clock);
  return {
    acquire: acquireVerb(run, lease.acquireStatements(parts)),
    renew: renewVerb(run, lease.renewStatements(parts)),
    release: releaseVerb(run, lease.releaseStatements(parts)),
    forceRelease: forceReleaseVerb(run, operator.forceReleaseStatements(parts)),
    hold: holdVerb(run, operator.holdStatements(parts)),
    askRelease: askReleaseVerb(run, operator.askReleaseStatements(parts)),
    noteDenials: noteDenialsVerb(run, contention.noteDenialsStatements(parts)),
    noteRenewals: async (notes) => {
      await run(lease.noteRenewalsStatements(parts), notes.map(renewalRider));
    },
    tidyDenials: tidyDenialsVerb(run, contention.tidyDenialsStatements(parts)),
    noteEnds: noteEndsVerb(run, upkeep.noteEndsStatements(parts)),
    async forgetOld(call) {
      const results = await connection.transaction(upkeep.forgetStatements(call, clock));
      return parseForgottenReport(rows.forgottenReport(results));
    },
  };
}

function acquireVerb(run: RunGroup, statements: lease.AcquireStatements): LockVerbs['acquire'] {
  return async (calls) => {
    const riders = calls.map((call) => ({ ...call, metadata: metadataText(call.metadata) }));
    const { results, readAtMs } = await run(statements, riders);
    return acquireOutcomes(calls, { report: rows.groupReport(results.at(-1)), readAtMs });
  };
}

function renewVerb(run: RunGroup, statements: lease.RenewStatements): LockVerbs['renew'] {
  return async (calls) => {
    const { results, readAtMs } = await run(statements, calls);
    return renewOutcomes(calls, { report: rows.groupReport(results.at(-1)), readAtMs });
  };
}

function releaseVerb(run: RunGroup, statements: lease.ReleaseStatements): LockVerbs['release'] {
  return async (calls) => {
    const { results, readAtMs } = await run(statements, calls);
    const report = rows.groupReport(results[lease.releaseReport]);
    return releaseOutcomes(calls, { report, readAtMs });
  };
}

function forceReleaseVerb(
  run: RunGroup,
  statements: operator.ForceReleaseStatements,
): LockVerbs['forceRelease'] {
  return async (calls) => {
    const { results, readAtMs } = await run(statements, calls);
    const ended = results[operator.forceReleaseReport];
    const report = rows.forceReleaseReport(ended, results.at(-1));
    return forceReleaseOutcomes(calls, { report, readAtMs });
  };
}

function holdVerb(run: RunGroup, statements: operator.HoldStatements): LockVerbs['hold'] {
  return async (call) => {
    const { results, readAtMs } = await run(statements, [call]);
    return holdOutcome({ report: rows.groupReport(results.at(-1)), readAtMs });
  };
}

function askReleaseVerb(
  run: RunGroup,
  statements: operator.AskReleaseStatements,
): LockVerbs['askRelease'] {
  return async (call) => {
    const { results, readAtMs } = await run(statements, [call]);
    return askReleaseOutcome({ report: rows.groupReport(results.at(-1)), readAtMs });
  };
}

function noteDenialsVerb(
  run: RunGroup,
  statements: contention.DenialStatements,
): LockVerbs['noteDenials'] {
  return async (denials) => {
    await run(statements, denials.map(denialRider));
  };
}

function tidyDenialsVerb(
  run: RunGroup,
  statements: VerbStatements<'resource'>,
): LockVerbs['tidyDenials'] {
  return async () => {
    const { results } = await run(statements, []);
    return rows.parseTidied(results.at(-1));
  };
}

function noteEndsVerb(run: RunGroup, statements: upkeep.NoteEndsStatements): LockVerbs['noteEnds'] {
  return async ({ holder, turnMs, leases }) => {
    const riders = leases.map((lease) => ({ ...lease, holder, turnMs }));
    const { results } = await run(statements, riders);
    return parseNotedReport(rows.oneJson(results.at(-1)));
  };
}

type RunGroup = <Field extends string>(
  verb: VerbStatements<Field>,
  riders: readonly Readonly<Record<Field, SqlValue | boolean>>[],
) => Promise<{ readonly results: readonly Rows[]; readonly readAtMs: number }>;

function createRunner(connection: SqliteConnection, monotonicMs: () => number): RunGroup {
  const processId = randomUUID();
  let transactions = 0;
  return async ({ fields, statements }, riders) => {
    transactions += 1;
    const changeId = `${processId}-${String(transactions)}`;
    const list = JSON.stringify(riders.map((rider) => fields.map((field) => rider[field])));
    const readAtMs = monotonicMs();
    const results = await connection.transaction(statements({ riders: list, changeId }));
    return { results, readAtMs };
  };
}
