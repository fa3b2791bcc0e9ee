import type { z } from 'zod';

/**
 * Parses an answer by the contract's schema. The contract grows by addition, so a server newer than this page may
 * send fields that it does not know: those are dropped, everything else that doesn't fit is refused.
 *
 * @throws the schema's error, when the answer is not the contract's.
 */
export function parseAnswer<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const known = structuredClone(answer);
  for (const issue of parsed.error.issues) {
    if (issue.code === 'unrecognized_keys') dropKeys(known, issue.path, issue.keys);
  }
  return schema.parse(known);
}

function dropKeys(root: unknown, path: readonly PropertyKey[], keys: readonly string[]): void {
  let place = root;
  for (const step of path) {
    if (!isObject(place)) return;
    place = place[step];
  }
  if (!isObject(place)) return;
  for (const key of keys) Reflect.deleteProperty(place, key);
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}
