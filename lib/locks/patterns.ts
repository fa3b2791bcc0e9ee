/** Which resources a caller may reach: one by its exact name, or all whose names begin with a prefix. */
export type ResourcePattern =
  | { readonly kind: 'exact'; readonly name: string }
  | { readonly kind: 'prefix'; readonly prefix: string };

/** `report:*` is a prefix, anything else an exact name. */
export function parsePattern(text: string): ResourcePattern {
  return text.endsWith('*')
    ? { kind: 'prefix', prefix: text.slice(0, -1) }
    : { kind: 'exact', name: text };
}

/** Whether one of the patterns covers a resource. Names are compared as they are kept: normalised, bytewise. */
export function isCovered(resource: string, patterns: readonly ResourcePattern[]): boolean {
  return patterns.some((pattern) => {
    switch (pattern.kind) {
      case 'exact':
        return resource === pattern.name;
      case 'prefix':
        return resource.startsWith(pattern.prefix);
    }
  });
}
