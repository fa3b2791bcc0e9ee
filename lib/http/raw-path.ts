import { invalid, type Problem } from './problem';

/**
 * What is wrong with a request target before any URL parser has touched it: `URL` drops dot segments, turns `\` into
 * `/` and cuts at `#`, and so would merge names that are different.
 *
 * @param target the raw target of an API call, path and query.
 */
export function rawPathProblem(target: string): Problem | null {
  const path = target.split('?', 1).join('');
  if (/[^\x21-\x7e]|[#\\]/.test(path)) return refused('must be percent-encoded in a path');
  for (const segment of path.split('/')) {
    const name = decoded(segment);
    if (name === null) return refused('has a broken percent-encoding');
    if (name === '.' || name === '..') {
      return refused('must not be "." or "..", which URL parsers erase from a path');
    }
  }
  return null;
}

function decoded(segment: string): string | null {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

function refused(message: string): Problem {
  return invalid([{ field: 'resource', message }]);
}
