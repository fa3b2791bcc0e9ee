import { createHash } from 'node:crypto';

/** A Lua script as Redis runs it: one call is one atomic step, in which no other command has a part. */
export interface Script {
  readonly text: string;
  /** What Redis calls it by. */
  readonly sha: string;
  /** How many of its arguments are keys: the first, which leads to the right node of a cluster. */
  readonly keyCount: 1;
}

/**
 * @param flags of Redis 7: `allow-oom` for what must go on when the memory is full. Without `no-writes` a replica refuses
 *   the script, also one that only reads locks: what a replica knows is what was.
 */
export function script(flags: '' | 'allow-oom' | 'no-writes', ...parts: readonly string[]): Script {
  const text = [`#!lua${flags === '' ? '' : ` flags=${flags}`}`, ...parts].join('\n');
  return { text, sha: createHash('sha1').update(text).digest('hex'), keyCount: 1 };
}
