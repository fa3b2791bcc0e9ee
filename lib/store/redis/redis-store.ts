import { z } from 'zod';

import { contentionLimits, type Asker } from '../../locks/contention';
import type { Dated, LockStore, SeenLease } from '../../locks/lock-store';
import { createGroupCommit, type GroupCommitOptions } from '../group-commit';
import { compareBytes } from '../list-order';
import type { LockReads } from '../lock-reads';
import { asker } from '../reports';
import { serveLocks } from '../serve';
import { systemWaiting } from '../system-waiting';
import { createWatchers } from '../watchers';
import { createAdoption } from './adoption';
import { createDrain, type Drain } from './drain';
import type { Ledger } from './ledger';
import { RedisLink, type ScriptCall } from './link';
import { list } from './list';
import { createNotes } from './notes';
import type { RedisTarget } from './redis-url';
import { openClient } from './client';
import { seenLeaseOf, whole } from './rows';
import { createScripts, type Scripts } from './scripts/all';
import { redisClock } from './scripts/common';
import { lookAtRedis, type RedisFindings, type RedisLook } from './server-check';
import { createUpkeep } from './upkeep';
import { createVerbs } from './verbs';

export interface RedisStoreOptions {
  readonly target: RedisTarget;
  /** The tokens and the history, in the database. The store closes it. */
  readonly ledger: Ledger;
  /** Before every key; `holdfast` makes `{holdfast}:…`. */
  readonly prefix: string;
  readonly groupCommit: GroupCommitOptions;
  /** How long a Redis that takes no connection is waited for at the start, in milliseconds. */
  readonly startMsMax: number;
  /** How long after its lease Redis keeps a lock by itself, in milliseconds: longer than the retention. */
  readonly expiredMsMax: number;
  /** How many fencing tokens are reserved at a time. */
  readonly tokenBlock: number;
  readonly onFindings: (findings: RedisFindings) => void;
  /** What went wrong in saving the history, the first time in a row; null when it goes on. */
  readonly onTrouble: (error: Error | null) => void;
  /** A Lua chunk that returns now in milliseconds; only tests give one. */
  readonly clock?: string;
}

/** What fits a server at some distance: whoever waits is told within two seconds that it does not answer. */
export const redisGroupCommit = {
  groupMax: 128,
  groupsInFlightMax: 4,
  gatherMsMax: 0,
  queueMax: 10_000,
  patienceMs: 1_500,
  answerMsMax: 1_900,
  waiting: systemWaiting,
} as const satisfies GroupCommitOptions;

const streamLengthMax = 1_000_000;
const drainBatch = 1_000;
const drainEveryMs = 100;
const listChunk = 400;
/** A start may wait long, and a timer beyond this fires at once. */
const longestTimerMs = 2 ** 31 - 1;

export interface RedisStore extends LockStore {
  /** What the server is like now. @throws StoreUnavailable */
  look(): Promise<RedisLook>;
}

/** The Redis store: locks in Redis, by one script for each verb; tokens and history in the database. */
export async function openRedisStore(options: RedisStoreOptions): Promise<RedisStore> {
  const { ledger, groupCommit, clock = redisClock, expiredMsMax } = options;
  const { waiting } = groupCommit;
  const prefix = `{${options.prefix}}:`;
  const key = `${prefix}lock:`;
  const scripts = createScripts({ prefix, clock, expiredMsMax, streamLengthMax });
  const info = { script: scripts.info, key };
  const link = await connect(options, info);
  const blockSize = options.tokenBlock;
  const adopt = createAdoption({ link, scripts, ledger, key, blockSize, waiting });
  await startingWith(options, link, () => adopt(0));
  const stream = `${prefix}events`;
  const { onTrouble } = options;
  const drain = createDrain({
    link,
    ledger,
    stream,
    batch: drainBatch,
    everyMs: drainEveryMs,
    waiting,
    onTrouble,
  });
  const monotonicMs = () => waiting.now();
  const keyOf = (resource: string) => `${key}${resource}`;
  const upkeep = createUpkeep({ link, scripts, adopt, ledger, drain, key, monotonicMs });
  const commits = createGroupCommit(groupCommit);
  const store = serveLocks({
    verbs: {
      ...createVerbs({ link, scripts, adopt, keyOf, monotonicMs }),
      ...createNotes({ link, scripts, adopt, key }),
      ...upkeep,
    },
    reads: { ...createReads({ link, scripts, ledger, drain, keyOf, monotonicMs }), ...upkeep },
    commits,
    watchers: createWatchers(),
    monotonicMs,
    disconnect: once(async () => {
      await drain.close();
      link.close();
      await ledger.close();
    }),
  });
  return { ...store, look: () => commits.runWithPatience(() => lookAtRedis(link, info)) };
}

/** Connects, and looks whether there is a server on which the promises can be kept. */
async function connect(
  options: RedisStoreOptions,
  info: Pick<ScriptCall, 'script' | 'key'>,
): Promise<RedisLink> {
  let link: RedisLink;
  try {
    link = new RedisLink(openClient(options.target));
  } catch (error) {
    await options.ledger.close();
    throw error;
  }
  await startingWith(options, link, async () => {
    const { obstacle, ...findings } = await lookAtRedis(link, info);
    if (obstacle !== null) throw new Error(obstacle);
    options.onFindings(findings);
  });
  return link;
}

/** One piece of the start, with its patience; if it fails, everything is closed. */
async function startingWith<T>(
  { groupCommit, startMsMax, ledger }: RedisStoreOptions,
  link: RedisLink,
  run: () => Promise<T>,
): Promise<T> {
  const patience = { patienceMs: startMsMax, answerMsMax: longestTimerMs };
  try {
    return await createGroupCommit({ ...groupCommit, ...patience }).runWithPatience(run);
  } catch (error) {
    link.close();
    await ledger.close();
    throw error;
  }
}

interface ReadsOptions {
  readonly link: RedisLink;
  readonly scripts: Scripts;
  readonly ledger: Ledger;
  readonly drain: Drain;
  readonly keyOf: (resource: string) => string;
  readonly monotonicMs: () => number;
}

function createReads(options: ReadsOptions): Omit<LockReads, 'endedLeases'> {
  const { link, scripts, ledger, drain, keyOf, monotonicMs } = options;

  /** Whoever was answered before asking must find it told. */
  async function saved<T>(read: () => Promise<T>): Promise<T> {
    await drain.upToNow();
    return read();
  }

  async function inspect(resource: string): Promise<Dated<SeenLease | null>> {
    const readAtMs = monotonicMs();
    const key = keyOf(resource);
    const reply = await link.runOne({ script: scripts.inspect, key, args: [resource] });
    const [nowMs, row, asked] = inspected.parse(reply);
    return { outcome: row === null ? null : seenLeaseOf([row, asked]), nowMs, readAtMs };
  }

  /** As of Redis' clock: the database has one of its own. */
  async function savedNow<T>(read: () => Promise<Dated<T>>): Promise<Dated<T>> {
    const { nowMs, readAtMs } = await inspect('');
    return { ...(await saved(read)), nowMs, readAtMs };
  }

  return {
    inspect,
    async askers(resource) {
      const readAtMs = monotonicMs();
      const reply = await link.runOne({
        script: scripts.askers,
        key: keyOf(resource),
        args: [resource],
      });
      const [nowMs, found] = askersReply.parse(reply);
      return { outcome: longestFirst(found), nowMs, readAtMs };
    },
    lockUsage: (query) => savedNow(() => ledger.history.lockUsage(query)),
    usage: (query) => savedNow(() => ledger.history.usage(query)),
    list: (query) => list({ link, scripts, key: keyOf(''), chunk: listChunk, monotonicMs }, query),
    events: (query) => saved(() => ledger.history.events(query)),
    feed: (query) => saved(() => ledger.history.feed(query)),
    tally: (query) => saved(() => ledger.history.tally(query)),
  };
}

const inspected = z.tuple([whole, z.unknown(), z.unknown()]);
const askerRow = z
  .tuple([z.string(), z.string().nullable(), whole, whole, whole])
  .transform((row) => asker.parse(row));
const askersReply = z.tuple([whole, z.array(askerRow)]);

function longestFirst(askers: readonly Asker[]): readonly Asker[] {
  return askers
    .toSorted(
      (one, other) =>
        one.firstAtMs - other.firstAtMs ||
        compareBytes(one.owner, other.owner) ||
        compareBytes(one.client ?? '', other.client ?? ''),
    )
    .slice(0, contentionLimits.askersShownMax);
}

function once(run: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => (done ??= run());
}
