import { createHash } from 'node:crypto';

import { z } from 'zod';

import type { ListPosition } from '@/lib/locks/lock-store';

import { invalid } from './problem';

/**
 * Opaque places in a list. A cursor is bound to the sort and the filters that it was made under: under others it would
 * silently skip or repeat, so it is refused.
 */

const content = z.tuple([
  z.string(),
  z.union([z.string(), z.int()]),
  z.string().regex(/^\d{1,16}$/),
]);

/** @param scope everything that the cursor is bound to; any JSON value. */
export function encodeCursor(position: ListPosition, scope: unknown): string {
  const json = JSON.stringify([fingerprint(scope), position.value, position.id]);
  return Buffer.from(json).toString('base64url');
}

/** @throws Problem 422 on `cursor` */
export function decodeCursor(cursor: string, scope: unknown): ListPosition {
  const parsed = content.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success) throw refused('is not a cursor of this API');
  const [made, value, id] = parsed.data;
  if (made !== fingerprint(scope)) throw refused('belongs to another sort, filter or resource');
  return { value, id };
}

function fingerprint(scope: unknown): string {
  return createHash('sha256').update(JSON.stringify(scope)).digest('base64url').slice(0, 16);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refused(message: string) {
  return invalid([{ field: 'cursor', message }]);
}
