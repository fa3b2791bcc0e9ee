import type { KeyOnWire } from '../contract/access-answers';
import { lockPath } from './paths';

/** A first call with a new key, as a shell takes it: an acquire where the key may, and else a look at the list. */
export function sampleCall(
  key: Pick<KeyOnWire, 'scopes' | 'patterns'>,
  secret: string,
  origin: string,
): string {
  const bearer = `-H 'Authorization: Bearer ${secret}'`;
  if (!key.scopes.includes('acquire')) return `curl '${origin}/api/locks' \\\n  ${bearer}`;
  const path = inQuotes(lockPath(sampleResource(key.patterns[0] ?? '*')));
  const body = `-d '{"owner": "me", "ttl_seconds": 60}'`;
  return `curl -X POST '${origin}${path}' \\\n  ${bearer} \\\n  -H 'Content-Type: application/json' \\\n  ${body}`;
}

function sampleResource(pattern: string): string {
  return pattern.endsWith('*') ? `${pattern.slice(0, -1)}hello` : pattern;
}

/** All that percent-encoding leaves and that could end the shell's quotes. */
function inQuotes(path: string): string {
  return path.replaceAll("'", '%27');
}
