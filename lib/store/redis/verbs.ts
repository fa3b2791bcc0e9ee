import { z } from 'zod';

import { StoreUnavailable } from '../../locks/errors';
import type { AcquireCall, ForceReleaseCall, ReleaseCall, RenewCall } from '../../locks/lock-store';
import { unavailable } from '../errors';
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
import type { Adopt } from './adoption';
import { runAdopting } from './run-adopting';
import type { RedisLink, ScriptCall } from './link';
import { reportRow, verdictOf, whole, type Verdict } from './rows';
import type { Scripts } from './scripts/all';
import type { Script } from './scripts/script';

/** What is done beside the calls, in files of its own. */
type Beside = Pick<
  LockVerbs,
  'noteEnds' | 'forgetOld' | 'noteDenials' | 'noteRenewals' | 'tidyDenials'
>;

interface VerbsOptions {
  readonly link: RedisLink;
  readonly scripts: Scripts;
  readonly adopt: Adopt;
  /** The key of a resource's lock. */
  readonly keyOf: (resource: string) => string;
  /** This process's monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
}

/**
 * Each call is a script of its own, and so an atomic step of its own; the calls of a group travel together. A call that
 * fails fails alone.
 */
export function createVerbs(
  options: VerbsOptions,
): Omit<LockVerbs<StoreUnavailable>, keyof Beside> {
  const { scripts, keyOf, monotonicMs } = options;
  const run = (calls: readonly ScriptCall[]) => runAdopting(options, calls);
  const callOf = (script: Script, resource: string, args: ScriptCall['args']): ScriptCall => ({
    script,
    key: keyOf(resource),
    args,
  });

  /** Carries a group, and reads each answer as the report of a group of one. */
  async function group<Call extends { readonly resource: string }, Outcome>(
    calls: readonly Call[],
    script: Script,
    argsOf: (call: Call) => ScriptCall['args'],
    outcomesOf: (calls: readonly [Call], reported: Reported) => Outcome[],
    entryOf: (verdict: Verdict) => readonly unknown[],
  ): Promise<(Outcome | StoreUnavailable)[]> {
    const readAtMs = monotonicMs();
    const replies = await run(calls.map((call) => callOf(script, call.resource, argsOf(call))));
    return calls.map((call, index) => {
      const reply = replies[index];
      if (reply === undefined) return new StoreUnavailable('Redis gave no answer');
      if (!reply.ok) return unavailable(reply.failure);
      const verdict = verdictOf(reply.value);
      const report = [verdict.nowMs, [[0, ...entryOf(verdict)]]];
      const [outcome] = outcomesOf([call], { report, readAtMs });
      return outcome ?? new StoreUnavailable('Redis gave no outcome');
    });
  }

  async function one(call: ScriptCall): Promise<{ verdict: Verdict; readAtMs: number }> {
    const readAtMs = monotonicMs();
    const [reply] = await run([call]);
    if (reply === undefined) throw new StoreUnavailable('Redis gave no answer');
    if (!reply.ok) throw reply.failure;
    return { verdict: verdictOf(reply.value), readAtMs };
  }

  return {
    acquire: (calls) => group(calls, scripts.acquire, acquireArgs, acquireOutcomes, acquireEntry),
    renew: (calls) => group(calls, scripts.renew, renewArgs, renewOutcomes, renewEntry),
    release: (calls) =>
      group(calls, scripts.release, releaseArgs, releaseOutcomes, ({ verdict }) => [verdict]),

    async forceRelease(calls) {
      const args = calls.flatMap(forceReleaseArgs);
      const told = await one(callOf(scripts.forceRelease, calls[0]?.resource ?? '', args));
      const verdicts = z.array(judged).parse(told.verdict.rest[0]);
      const entries = verdicts.map((verdict, index) => [index, ...verdict]);
      const report = [told.verdict.nowMs, entries];
      return forceReleaseOutcomes(calls, { report, readAtMs: told.readAtMs });
    },

    async hold({ resource, actor, reason, ttlMs, fencingToken, requestId }) {
      const args = [resource, actor, reason, ttlMs, fencingToken ?? '', requestId ?? ''];
      return holdOutcome(changeReport(await one(callOf(scripts.hold, resource, args)), 'held'));
    },

    async askRelease({ resource, fencingToken, actor, reason, requestId }) {
      const args = [resource, fencingToken, actor, reason, requestId ?? ''];
      const told = await one(callOf(scripts.askRelease, resource, args));
      return askReleaseOutcome(changeReport(told, 'asked'));
    },
  };
}

// In the order in which the scripts read them. An empty argument stands for none.
function acquireArgs(call: AcquireCall): ScriptCall['args'] {
  const { resource, owner, client, ttlMs, metadata, requestId } = call;
  return [resource, owner, client ?? '', ttlMs, metadataText(metadata) ?? '', requestId ?? ''];
}

function renewArgs(call: RenewCall): ScriptCall['args'] {
  const { resource, owner, client, ttlMs, fencingToken, requestId } = call;
  return [resource, owner, client ?? '', ttlMs, fencingToken ?? '', requestId ?? ''];
}

function releaseArgs(call: ReleaseCall): ScriptCall['args'] {
  const { resource, owner, client, fencingToken, requestId } = call;
  return [resource, owner, client ?? '', fencingToken ?? '', requestId ?? ''];
}

function forceReleaseArgs(call: ForceReleaseCall): ScriptCall['args'] {
  const { resource, fencingToken, reason, holdMs, onlyExpired, actor, requestId } = call;
  const given = [resource, fencingToken, reason ?? '', holdMs];
  return [...given, onlyExpired ? 1 : 0, actor, requestId ?? ''];
}

function acquireEntry({ nowMs, verdict, rest }: Verdict): readonly unknown[] {
  if (verdict === 'granted') return [1, Number(rest[0]), nowMs, Number(rest[1])];
  return [0, reportRow(rest[0])];
}

const forced = z.tuple([z.string(), z.string().nullable(), whole]).nullable();

function renewEntry({ verdict, rest }: Verdict): readonly unknown[] {
  if (verdict === 'renewed') return [verdict, reportRow(rest[0]), whole.nullable().parse(rest[1])];
  if (verdict === 'expired') return [verdict];
  return [verdict, forced.parse(rest[0])];
}

const judged = z
  .tuple([z.string(), z.unknown(), z.unknown()])
  .transform(([verdict, lease, held]) => [
    verdict,
    lease === null ? null : reportRow(lease),
    held === null ? null : reportRow(held),
  ]);

/** An act of an operator on one lock. Without a row there is no entry: not found. */
function changeReport(
  { verdict, readAtMs }: { verdict: Verdict; readAtMs: number },
  changed: string,
): Reported {
  const isChanged = verdict.verdict === changed ? 1 : 0;
  const [row] = verdict.rest;
  const entries = row === undefined ? [] : [[0, isChanged, reportRow(row)]];
  return { report: [verdict.nowMs, entries], readAtMs };
}
