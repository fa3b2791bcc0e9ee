import { z } from 'zod';

import type { SeenLease } from '../../locks/lock-store';
import { seenLease } from '../reports';

/** Scripts answer in text and null: from these to the reports that are the same on every database. */

const cell = z.string().nullable();
const cells = z.array(cell).length(16);
/** Which columns of a row are numbers. */
const numbers = new Set([0, 4, 5, 6, 7, 8, 9, 14]);

/** A row as `reports.ts` reads it. */
export function reportRow(raw: unknown): readonly (string | number | null)[] {
  return cells
    .parse(raw)
    .map((value, index) => (value !== null && numbers.has(index) ? Number(value) : value));
}

/** A row, and who asks for it or null. */
export function seenLeaseOf(raw: unknown): SeenLease {
  const [row, asked] = z.tuple([z.unknown(), contention]).parse(raw);
  return seenLease.parse([reportRow(row), asked]);
}

/** What every script answers: now, its verdict, and what belongs to that. */
const answer = z.tuple([z.string(), z.string()], z.unknown());

export interface Verdict {
  readonly nowMs: number;
  readonly verdict: string;
  readonly rest: readonly unknown[];
}

export function verdictOf(raw: unknown): Verdict {
  const [now, verdict, ...rest] = answer.parse(raw);
  return { nowMs: Number(now), verdict, rest };
}

export const whole = z
  .string()
  .regex(/^-?\d+$/)
  .transform(Number);

const contention = z.tuple([whole, whole, z.string(), whole]).nullable();
