import type { z } from 'zod';

/** The fields that a schema's refusal names, each once and in order; `null` if the value is taken. */
export function refusedFields(schema: z.ZodType, value: unknown): readonly string[] | null {
  const result = schema.safeParse(value);
  if (result.success) return null;
  const fields = result.error.issues.flatMap((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [key]) : [[]];
    return keys.map((key) => [...issue.path.map(String), ...key].join('.'));
  });
  return [...new Set(fields)];
}

/** What a refusal says of one field. */
export function refusalOf(schema: z.ZodType, value: unknown, field: string): string | undefined {
  const { error } = schema.safeParse(value);
  return error?.issues.find((issue) => issue.path.join('.') === field)?.message;
}
