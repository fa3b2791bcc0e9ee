import type { ListFilter } from '../../locks/lock-store';
import type { ResourcePattern } from '../../locks/patterns';
import { compareBytes } from '../list-order';

/** A part of the names that is read from end to end. */
export type NameRange = ResourcePattern;

/** All names. */
export const allNames: NameRange = { kind: 'prefix', prefix: '' };

/** The ranges in which what a list may show lies, in the order of the names, none of which overlaps another. */
export function rangesOf({
  visible,
  resourcePrefix,
}: Pick<ListFilter, 'visible' | 'resourcePrefix'>): readonly NameRange[] {
  const within = resourcePrefix ?? '';
  const wanted = (visible ?? [allNames]).flatMap((range) => narrowed(range, within) ?? []);
  // A shorter prefix comes before all that it covers.
  const sorted = wanted.sort((a, b) => compareBytes(startOf(a), startOf(b)) || widestFirst(a, b));
  const ranges: NameRange[] = [];
  for (const range of sorted) {
    const last = ranges.at(-1);
    if (last === undefined || !covers(last, range)) ranges.push(range);
  }
  return ranges;
}

export function isEverything(ranges: readonly NameRange[]): boolean {
  return ranges.some((range) => range.kind === 'prefix' && range.prefix === '');
}

function narrowed(range: NameRange, within: string): NameRange | null {
  if (startOf(range).startsWith(within)) return range;
  const isInside = range.kind === 'prefix' && within.startsWith(range.prefix);
  return isInside ? { kind: 'prefix', prefix: within } : null;
}

function covers(wide: NameRange, narrow: NameRange): boolean {
  switch (wide.kind) {
    case 'prefix':
      return startOf(narrow).startsWith(wide.prefix);
    case 'exact':
      return narrow.kind === 'exact' && narrow.name === wide.name;
  }
}

export function startOf(range: NameRange): string {
  return range.kind === 'exact' ? range.name : range.prefix;
}

function widestFirst(a: NameRange, b: NameRange): number {
  return Number(a.kind === 'exact') - Number(b.kind === 'exact');
}
