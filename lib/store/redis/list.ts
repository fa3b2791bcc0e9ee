import { z } from 'zod';

import type { Lease } from '../../locks/lease';
import type { Dated, ListCounts, ListFilter, ListPage, ListQuery } from '../../locks/lock-store';
import { comparePositions, positionOf } from '../list-order';
import { pageOf } from '../list-page';
import type { RedisLink } from './link';
import { isEverything, rangesOf, startOf, type NameRange } from './ranges';
import { leaseOf, whole } from './rows';
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

type Counts = Omit<ListCounts, 'asked'>;

/**
 * A page and the counts. Under no filter, by expiry, they come from the indexes, as of one moment. Anything else reads the
 * names of its ranges chunk by chunk: each chunk as of its own moment, all judged by the clock of the first. A lock that is
 * there throughout is seen once.
 */
export async function list(options: ListOptions, query: ListQuery): Promise<Dated<ListPage>> {
  const readAtMs = options.monotonicMs();
  const ranges = isAskedForByNobody(query.filter) ? [] : rangesOf(query.filter);
  const indexed =
    hasNoFilter(query.filter) && isEverything(ranges) ? await byExpiry(options, query) : null;
  const isPaged = indexed !== null && query.sortField === 'expires_at' && query.condition === null;
  const found = isPaged ? indexed : await scan(options, query, ranges, indexed?.counts ?? null);
  const nowMs = indexed?.nowMs ?? found.nowMs;
  return { outcome: pageOf(query, found), nowMs, readAtMs };
}

/** Contention is not counted here, so no lock was asked for by anybody. */
function isAskedForByNobody({ askedMin }: ListFilter): boolean {
  return askedMin !== null && askedMin > 0;
}

function hasNoFilter({ text, owner, ownerPrefix, client, fencingToken }: ListFilter): boolean {
  return [text, owner, ownerPrefix, client, fencingToken].every((value) => value === null);
}

interface Found {
  readonly nowMs: number;
  readonly counts: Counts;
  /** One more than the page holds, if there is another page. */
  readonly leases: readonly Lease[];
}

async function byExpiry({ link, scripts, key }: ListOptions, query: ListQuery): Promise<Found> {
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
  return { nowMs, counts, leases };
}

/** @param known the counts, if they are known already: then the reading ends with the page. */
async function scan(
  options: ListOptions,
  query: ListQuery,
  ranges: readonly NameRange[],
  known: Counts | null,
): Promise<Found> {
  const counts = { active: 0, expired: 0, expiring: 0, silent: 0, closed: 0 };
  let leases: readonly Lease[] = [];
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
  readonly counts: Counts;
  readonly leases: readonly Lease[];
}

interface Reading {
  readonly range: NameRange;
  readonly from: string | null;
  readonly nowMs: number | null;
  readonly leases: readonly Lease[];
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
    ],
  });
  const [now, next, counts, found] = chunkReply.parse(reply);
  return { nowMs: now, next, counts, leases: found };
}

/** The first of a page and one more, in the order of the list. */
function best(leases: readonly Lease[], { sortField, isDescending, limit }: ListQuery): Lease[] {
  const direction = isDescending ? -1 : 1;
  return leases
    .map((lease) => ({ lease, position: positionOf(lease, sortField) }))
    .sort((a, b) => direction * comparePositions(a.position, b.position))
    .slice(0, limit + 1)
    .map(({ lease }) => lease);
}

const countNames = ['active', 'expired', 'expiring', 'silent', 'closed'] as const;
const countsRow = z
  .tuple([whole, whole, whole, whole, whole])
  .transform(([active, expired, expiring, silent, closed]) => ({
    active,
    expired,
    expiring,
    silent,
    closed,
  }));
const leaseRows = z.array(z.unknown().transform(leaseOf));
const chunkReply = z.tuple([whole, z.string().nullable(), countsRow, leaseRows]);
