import { z } from 'zod';

import { tidyAgain, type Asker, type TidyAgain } from '../../locks/contention';
import type { FeedPage, FeedQuery, FeedTally, TallyQuery } from '../../locks/event-feed';
import type { ListCounts, SeenLease } from '../../locks/lock-store';
import { parseFeed, parseTally } from '../feed-rows';
import { asker, listCounts, seenLease } from '../reports';
import type { Rows } from './lock-file';
import { forgottenEnd, forgottenEvents, forgottenLocks, forgottenTurn } from './statements/upkeep';

/** SQLite answers rows whose JSON is text: from these to the reports that are the same on every database. */

const whole = z.int();
const oneReport = z.tuple([z.tuple([whole, z.string()])]);

/** A statement that reports on a group answers one row: the store's clock, and a JSON array with an entry per rider. */
export function groupReport(rows: Rows | undefined): readonly [number, unknown] {
  const [[nowMs, json]] = oneReport.parse(rows);
  return [nowMs, parseJson(json)];
}

/** One row of one column that is JSON. */
export function oneJson(rows: Rows | undefined): unknown {
  const [[json]] = z.tuple([z.tuple([z.string()])]).parse(rows);
  return parseJson(json);
}

const changes = z.tuple([z.tuple([whole])]);
const place = z.union([z.tuple([]), z.tuple([z.tuple([whole, whole])])]);

/** @param results of the statements of `forgetStatements`. */
export function forgottenReport(results: readonly Rows[]): unknown {
  const [end = null] = place.parse(results[forgottenEnd]);
  return [
    changes.parse(results[forgottenTurn])[0][0],
    changes.parse(results[forgottenLocks])[0][0],
    changes.parse(results[forgottenEvents])[0][0],
    end,
  ];
}

const rawEntry = z.tuple([whole], z.unknown());

/** @param holds one row: the holds that were put in place, as a JSON array of rider and lease. */
export function forceReleaseReport(rows: Rows | undefined, holds: Rows | undefined): unknown {
  const [[nowMs, json]] = oneReport.parse(rows);
  const [[holdsJson]] = z.tuple([z.tuple([z.string()])]).parse(holds);
  const holdOf = new Map(z.array(z.tuple([whole, z.unknown()])).parse(parseJson(holdsJson)));
  const entries = z.array(rawEntry).parse(parseJson(json));
  return [nowMs, entries.map((entry) => [...entry, holdOf.get(entry[0]) ?? null])];
}

const inspected = z.tuple([z.tuple([whole, z.string().nullable(), z.string().nullable()])]);

/** One row: the store's clock, the lease as JSON or null, and who asks for it as JSON or null. */
export function parseInspected(rows: Rows | undefined): { nowMs: number; lease: SeenLease | null } {
  const [[nowMs, lease, contention]] = inspected.parse(rows);
  if (lease === null) return { nowMs, lease: null };
  const asked = contention === null ? null : parseJson(contention);
  return { nowMs, lease: seenLease.parse([parseJson(lease), asked]) };
}

const listRow = z.tuple([z.tuple([whole, whole, whole, whole, whole, whole, whole, z.string()])]);

/** One row: the store's clock, the counts, and the leases as a JSON array in the order of the statement. */
export function parseListed(rows: Rows | undefined): {
  nowMs: number;
  counts: ListCounts;
  leases: SeenLease[];
} {
  const [[nowMs, ...listed]] = listRow.parse(rows);
  const leases = z.array(seenLease).parse(parseJson(listed[6]));
  return { nowMs, counts: listCounts.parse(listed.slice(0, 6)), leases };
}

/** One row: the store's clock, and who asks as a JSON array. */
export function parseAskers(rows: Rows | undefined): { nowMs: number; askers: Asker[] } {
  const [[nowMs, json]] = oneReport.parse(rows);
  return { nowMs, askers: z.array(asker).parse(parseJson(json)) };
}

/** One row with one word. */
export function parseTidied(rows: Rows | undefined): TidyAgain {
  const [[again]] = z.tuple([z.tuple([z.enum(tidyAgain)])]).parse(rows);
  return again;
}

const feedRows = z.tuple([z.tuple([z.literal([0, 1]), z.string()])]);

/** One row: whether the place is known, and the events as JSON. What is written here has its place at once. */
export function parseFeedRows(rows: Rows | undefined, query: FeedQuery): FeedPage {
  const [[isKnown, json]] = feedRows.parse(rows);
  return parseFeed([isKnown === 1, 0, parseJson(json)], query);
}

const tallyRows = z.tuple([z.tuple([whole.nullable(), z.string()])]);

export function parseTallyRows(rows: Rows | undefined, query: TallyQuery): FeedTally {
  const [[lastId, json]] = tallyRows.parse(rows);
  return parseTally([0, lastId === null ? null : [0, lastId], parseJson(json)], query);
}

function parseJson(json: string): unknown {
  return JSON.parse(json);
}
