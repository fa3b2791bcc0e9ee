import { invalid, type Problem } from './problem';

/** Nothing in it that a URL parser would change, and no segment that begins with a dot. */
const plainPath = /^(?:\/[A-Za-z0-9:_-][A-Za-z0-9:._-]*)+$/;

/**
 * What is wrong with a path before any URL parser has touched it: `URL` drops dot segments, turns `\` into `/` and cuts
 * at `#`, and so would merge names that are different.
 */
export function rawPathProblem(path: string): Problem | null {
  if (plainPath.test(path)) return null;
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
