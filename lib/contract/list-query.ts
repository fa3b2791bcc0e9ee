import { z } from 'zod';

import { leaseConditions, leaseStates } from '../locks/lease';
import { limits } from '../locks/limits';
import { listSortFields, type ListSortField } from '../locks/lock-store';
import { isPlainText } from '../locks/names';

/** The query of the list. Every value arrives as a string, and each refused one is named. */

function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^(0|[1-9]\d{0,15})$/, message)
    .transform(Number)
    .pipe(z.int({ error: message }).min(min, message).max(max, message))
    .meta({ type: 'integer', minimum: min, maximum: max });
}

export const searchText = z
  .string()
  .min(1, 'must not be empty')
  .max(limits.resourceBytesMax, `must be at most ${limits.resourceBytesMax} characters`)
  .refine(isPlainText, 'must be valid Unicode without control characters')
  .transform((text) => text.normalize('NFC'))
  .meta({ minLength: 1, maxLength: limits.resourceBytesMax });

export { leaseConditions, listSortFields, type ListSortField };

/** A field for ascending, `-field` for descending. */
export const sortWords = listSortFields.flatMap((field) => [field, `-${field}`] as const);
export const sortDefault = 'expires_at' satisfies ListSortField;

export const limitParameter = wholeNumber(1, limits.listLimitMax).default(limits.listLimitDefault);
const cursorMessage = 'must be a next_cursor of an answer';
export const cursorParameter = z.string().min(1, cursorMessage).max(4096, cursorMessage);

const listFilters = {
  state: z.enum([...leaseStates, 'all']).default('active'),
  condition: z.enum(leaseConditions).optional(),
  q: searchText.optional(),
  prefix: searchText.optional(),
  owner: searchText.optional(),
  owner_prefix: searchText.optional(),
  client: searchText.optional(),
  fencing_token: wholeNumber(1, limits.fencingTokenMax).optional(),
  asked_min: wholeNumber(0, 1_000_000).optional(),
  sort: z.enum(sortWords).default(sortDefault),
};

export const listQuery = z.strictObject({
  ...listFilters,
  limit: limitParameter,
  cursor: cursorParameter.optional(),
});

/** The export is the whole list, so it has no pages. */
export const listExportQuery = z.strictObject(listFilters);

export type ListQueryOnWire = z.output<typeof listQuery>;
/** Without its page. */
export type ListFiltersOnWire = z.output<typeof listExportQuery>;

export const inspectQuery = z.strictObject({ include: z.literal('expired').optional() });

/** `-acquired_at` → the field, and whether the largest comes first. */
export function parseSort(sort: ListFiltersOnWire['sort']): {
  field: ListSortField;
  isDescending: boolean;
} {
  for (const field of listSortFields) {
    if (sort === field) return { field, isDescending: false };
    if (sort === `-${field}`) return { field, isDescending: true };
  }
  throw new RangeError(`Not a sort: ${sort}`);
}
