/**
 * A resource as one segment of a path. `.` and `..` are the two names that no path can carry; the API refuses them as
 * resources, so no lock has them.
 */
export function lockSegment(resource: string): string {
  return encodeURIComponent(resource);
}

/** The API's path of one lock, or of what can be done with it: `lockPath(name, 'events')`. */
export function lockPath(
  resource: string,
  verb?: 'events' | 'contention' | 'stats' | 'force-release' | 'hold' | 'ask-release',
): string {
  const path = `/api/locks/${lockSegment(resource)}`;
  return verb === undefined ? path : `${path}/${verb}`;
}

/** The dashboard's page of one lock. */
export function lockHref(resource: string): string {
  return `/locks/${lockSegment(resource)}`;
}

/** Appends the parameters that have a value. */
export function withQuery(
  path: string,
  parameters: Readonly<Record<string, string | number | null | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}
