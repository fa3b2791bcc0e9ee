import { z } from 'zod';

import type {
  Dated,
  ListCounts,
  ListFilter,
  ListPage,
  ListQuery,
  SeenLease,
} from '../../locks/lock-store';
import { comparePositions, positionOf } from '../list-order';
import { pageOf } from '../list-page';
import { listCounts } from '../reports';
import type { RedisLink } from './link';
import { isEverything, rangesOf, startOf, type NameRange } from './ranges';
import { seenLeaseOf, whole } from './rows';
import type { Scripts } from './scripts/all';

interface ListOptions {
  readonly link: RedisLink;
  readonly scripts: Scripts;
  /** A key of the store, for its place in a cluster. */
  readonly key: string;
  /** How many names a script reads at once: while it runs, Redis serves nobody else. */
  readonly chunk: number;
  readonly monotonicMs: () => number;
}

/**
 * A page and the counts. Under no filter, by expiry, they come from the indexes, as of one moment. Anything else reads the
 * names of its ranges chunk by chunk: each chunk as of its own moment, all judged by the clock of the first. A lock that is
 * there throughout is seen once.
 */
export async function list(options: ListOptions, query: ListQuery): Promise<Dated<ListPage>> {
  const readAtMs = options.monotonicMs();
  const ranges = rangesOf(query.filter);
  const indexed =
    hasNoFilter(query.filter) && isEverything(ranges) ? await byExpiry(options, query) : null;
  const isPaged = indexed !== null && query.sortField === 'expires_at' && query.condition === null;
  const found = isPaged ? indexed : await scan(options, query, ranges, indexed?.counts ?? null);
  const nowMs = indexed?.nowMs ?? found.nowMs;
  const counts = query.isUncounted === true ? noCounts : found.counts;
  return { outcome: pageOf(query, found.leases, counts), nowMs, readAtMs };
}

function hasNoFilter(filter: ListFilter): boolean {
  const { text, owner, ownerPrefix, client, fencingToken, askedMin } = filter;
  const isAskedByAny = (askedMin ?? 0) <= 0;
  return (
    isAskedByAny &&
    [text, owner, ownerPrefix, client, fencingToken].every((value) => value === null)
  );
}

interface Found {
  readonly nowMs: number;
  readonly counts: ListCounts;
  /** One more than the page holds, if there is another page. */
  readonly leases: readonly SeenLease[];
}

async function byExpiry(options: ListOptions, query: ListQuery): Promise<Found> {
  const { link, scripts, key } = options;
  const after = query.sortField === 'expires_at' ? query.after : null;
  const reply = await link.runOne({
    script: scripts.byExpiry,
    key,
    args: [
      query.state,
      query.isDescending ? 1 : 0,
      query.limit + 1,
      after?.value ?? '',
      after?.id ?? '',
    ],
  });
  const [nowMs, counts, leases] = z.tuple([whole, countsRow, leaseRows]).parse(reply);
  const isAskedCounted = counts.asked > 0 && query.isUncounted !== true;
  const asked = isAskedCounted ? await countAsked(options, nowMs) : 0;
  return { nowMs, counts: { ...counts, asked }, leases };
}

/** Of the names that were asked for lately, those that still are: few, and read chunk by chunk like all names. */
async function countAsked({ link, scripts, key, chunk }: ListOptions, nowMs: number) {
  let asked = 0;
  for (let from = 0; ; from += chunk) {
    const args = [nowMs, from, chunk];
    const reply = await link.runOne({ script: scripts.countAsked, key, args });
    const [found, read] = z.tuple([whole, whole]).parse(reply);
    asked += found;
    if (read < chunk) return asked;
  }
}

/** @param known the counts, if they are known already: then the reading ends with the page. */
async function scan(
  options: ListOptions,
  query: ListQuery,
  ranges: readonly NameRange[],
  known: ListCounts | null,
): Promise<Found> {
  const counts = { ...noCounts };
  let leases: readonly SeenLease[] = [];
  let nowMs: number | null = null;
  const isDone = () =>
    known !== null && query.sortField === 'resource' && leases.length > query.limit;
  const inOrder =
    query.sortField === 'resource' && query.isDescending ? [...ranges].reverse() : ranges;
  // Also without any range there must be a clock to answer with.
  for (const range of inOrder.length === 0 ? [nothing] : inOrder) {
    let from: string | null = null;
    do {
      const read: Chunk = await readChunk(options, query, { range, from, nowMs, leases });
      nowMs = read.nowMs;
      for (const name of countNames) counts[name] += read.counts[name];
      leases = best([...leases, ...read.leases], query);
      from = read.next;
    } while (from !== null && !isDone());
    if (isDone()) break;
  }
  return { nowMs: nowMs ?? 0, counts: known ?? counts, leases };
}

/** No resource has an empty name. */
const nothing: NameRange = { kind: 'exact', name: '' };

interface Chunk {
  readonly nowMs: number;
  readonly next: string | null;
  readonly counts: ListCounts;
  readonly leases: readonly SeenLease[];
}

interface Reading {
  readonly range: NameRange;
  readonly from: string | null;
  readonly nowMs: number | null;
  readonly leases: readonly SeenLease[];
}

async function readChunk(
  { link, scripts, key, chunk }: ListOptions,
  query: ListQuery,
  { range, from, nowMs, leases }: Reading,
): Promise<Chunk> {
  const { filter, after, limit, sortField } = query;
  const isFull = leases.length > limit;
  const last = isFull ? leases.at(-1) : undefined;
  const worst = last === undefined ? null : positionOf(last, sortField);
  const isByName = sortField === 'resource';
  const reply = await link.runOne({
    script: scripts.scan,
    key,
    args: [
      nowMs ?? '',
      isByName && query.isDescending ? 1 : 0,
      range.kind,
      startOf(range),
      from ?? '',
      chunk,
      filter.text ?? '',
      filter.owner ?? '',
      filter.ownerPrefix ?? '',
      filter.client ?? '',
      filter.fencingToken ?? '',
      query.state,
      query.condition ?? '',
      sortField === 'fencing_token' ? 'token' : sortField,
      query.isDescending ? 1 : 0,
      after?.value ?? '',
      after?.id ?? '',
      worst?.value ?? '',
      worst?.id ?? '',
      isByName ? limit + 1 : chunk,
      Math.max(0, filter.askedMin ?? 0),
    ],
  });
  const [now, next, counts, found] = chunkReply.parse(reply);
  return { nowMs: now, next, counts, leases: found };
}

/** The first of a page and one more, in the order of the list. */
function best(
  leases: readonly SeenLease[],
  { sortField, isDescending, limit }: ListQuery,
): SeenLease[] {
  const direction = isDescending ? -1 : 1;
  return leases
    .map((lease) => ({ lease, position: positionOf(lease, sortField) }))
    .sort((a, b) => direction * comparePositions(a.position, b.position))
    .slice(0, limit + 1)
    .map(({ lease }) => lease);
}

const countNames = ['active', 'expired', 'expiring', 'silent', 'closed', 'asked'] as const;
const noCounts = { active: 0, expired: 0, expiring: 0, silent: 0, closed: 0, asked: 0 };
const countsRow = z.array(whole).transform((row) => listCounts.parse(row));
const leaseRows = z.array(z.unknown().transform(seenLeaseOf));
const chunkReply = z.tuple([whole, z.string().nullable(), countsRow, leaseRows]);
