import { z } from 'zod';

import type { ForgetCall, ForgetOutcome, Upkeep } from '../../locks/upkeep';
import type { Adopt } from './adoption';
import type { Drain } from './drain';
import type { Ledger, OldEvent } from './ledger';
import type { RedisLink, ScriptCall } from './link';
import { verdictOf, whole } from './rows';
import { runAdopting } from './run-adopting';
import type { Scripts } from './scripts/all';
import type { Script } from './scripts/script';

interface UpkeepOptions {
  readonly link: RedisLink;
  readonly scripts: Scripts;
  readonly adopt: Adopt;
  readonly ledger: Ledger;
  readonly drain: Drain;
  /** A key of the store, for its place in a cluster. */
  readonly key: string;
  readonly monotonicMs: () => number;
}

/** Ends are noted and rows forgotten in Redis, each batch by one script; old events are forgotten in the database. */
export function createUpkeep(options: UpkeepOptions): Upkeep {
  const { link, scripts, key, monotonicMs } = options;
  const callOf = (script: Script, args: ScriptCall['args']): ScriptCall => ({ script, key, args });
  return {
    async endedLeases({ sinceMs, limit }) {
      const readAtMs = monotonicMs();
      const [nowMs, rows] = endedReply.parse(
        await link.runOne(callOf(scripts.ended, [sinceMs ?? '', limit])),
      );
      const leases = rows.map(([resource, fencingToken]) => ({ resource, fencingToken }));
      return { outcome: leases, nowMs, readAtMs };
    },

    async noteEnds({ holder, turnMs, leases }) {
      const named = leases.flatMap(({ resource, fencingToken }) => [resource, fencingToken]);
      const { isOurTurn, count } = await taken(options, scripts.noteEnds, [
        holder,
        turnMs,
        ...named,
      ]);
      return { isOurTurn, noted: count };
    },

    forgetOld: (call) => forgetOld(options, call),
  };
}

/**
 * The rows first, in one step with the turn, so that the events of a lease go with its row or after it. An event that is
 * needed by nobody when Redis is asked never is again: no row comes back with a token that it had.
 */
async function forgetOld(options: UpkeepOptions, call: ForgetCall): Promise<ForgetOutcome> {
  const { link, scripts, ledger, drain, key } = options;
  const { holder, turnMs, retentionMs, batchMax, after } = call;
  const turn = [holder, turnMs, retentionMs, batchMax];
  const { isOurTurn, count: locks, nowMs } = await taken(options, scripts.forgetLocks, turn);
  if (!isOurTurn) return { isOurTurn, locks: 0, events: 0, next: null };

  await drain.upToNow();
  const query = { beforeMs: nowMs - retentionMs, after, limit: batchMax };
  const walked = await ledger.oldEvents(query);
  const ofLeases = walked.flatMap((event) => (isOfLease(event) ? [event] : []));
  const args = ofLeases.flatMap(({ resource, fencingToken }) => [resource, fencingToken]);
  const reply = await link.runOne({ script: scripts.neededEvents, key, args });
  const [, needed] = neededReply.parse(reply);
  const kept = new Set(ofLeases.flatMap(({ id }, place) => (needed[place] === 1 ? [id] : [])));
  const gone = walked.flatMap(({ id }) => (kept.has(id) ? [] : [id]));
  const events = gone.length === 0 ? 0 : await ledger.forgetEvents(gone);
  const last = walked.length === batchMax ? walked.at(-1) : undefined;
  const next = last === undefined ? null : { atMs: last.atMs, id: last.id };
  return { isOurTurn, locks, events, next };
}

/** Runs a script that takes a turn for its work. */
async function taken(options: UpkeepOptions, script: Script, args: ScriptCall['args']) {
  const [reply] = await runAdopting(options, [{ script, key: options.key, args }]);
  if (reply?.ok === false) throw reply.failure;
  const { nowMs, verdict, rest } = verdictOf(reply?.value);
  const isOurTurn = verdict === 'ours';
  return { isOurTurn, nowMs, count: isOurTurn ? whole.parse(rest[0]) : 0 };
}

function isOfLease(
  event: OldEvent,
): event is OldEvent & { readonly resource: string; readonly fencingToken: number } {
  return event.resource !== null && event.fencingToken !== null;
}

const endedReply = z.tuple([whole, z.array(z.tuple([z.string(), whole]))]);
const neededReply = z.tuple([whole, z.array(z.literal([0, 1]))]);
