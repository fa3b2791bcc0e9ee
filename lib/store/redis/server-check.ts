import { z } from 'zod';

import type { RedisLink, ScriptCall } from './link';

/** What an operator should know about the server, for the log. */
export interface RedisFindings {
  readonly version: string;
  /** Sentences, each about something that weakens what the service promises. */
  readonly warnings: readonly string[];
}

/** The same, and what would stop the start. */
export interface RedisLook extends RedisFindings {
  readonly obstacle: string | null;
}

/** @throws StoreBusy while there is no asking it. */
export async function lookAtRedis(
  link: RedisLink,
  { script, key }: Pick<ScriptCall, 'script' | 'key'>,
): Promise<RedisLook> {
  const info = fieldsOf(z.string().parse(await link.runOne({ script, key, args: [] })));
  const appendfsync = await settingOf(link, 'appendfsync');
  return {
    version: versionOf(info),
    warnings: warningsOf(info, appendfsync),
    obstacle: obstacleIn(info),
  };
}

type Info = ReadonlyMap<string, string>;

function fieldsOf(text: string): Info {
  const lines = text.split(/\r?\n/).filter((line) => line.includes(':'));
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
}

/** Where the server allows no look at its settings, as services of a cloud do, what it has is not known. */
async function settingOf(link: RedisLink, name: string): Promise<string | null> {
  try {
    const reply = z.array(z.string()).parse(await link.command('CONFIG', 'GET', name));
    return reply[1] ?? null;
  } catch {
    return null;
  }
}

function versionOf(info: Info): string {
  const valkey = info.get('valkey_version');
  return valkey === undefined ? `Redis ${info.get('redis_version') ?? ''}` : `Valkey ${valkey}`;
}

const oldestMajor = 7;

function obstacleIn(info: Info): string | null {
  // Valkey tells the version of Redis that it is compatible with.
  const major = Number.parseInt(info.get('redis_version') ?? '', 10);
  if (!(major >= oldestMajor)) {
    return `${versionOf(info)} is too old: Holdfast needs Redis 7, or Valkey`;
  }
  if (info.get('role') !== 'master') return 'The server is a replica; name the primary';
  const policy = info.get('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    return `maxmemory-policy is ${policy}: a lock that Redis evicts is granted to a second owner. Set it to noeviction`;
  }
  return null;
}

function warningsOf(info: Info, appendfsync: string | null): string[] {
  const warnings: string[] = [];
  if (info.get('aof_enabled') !== '1') {
    warnings.push(
      'Redis keeps no append-only file: when it restarts, locks since its last snapshot are free (their tokens stay below the next)',
    );
  } else if (appendfsync !== 'always') {
    warnings.push(
      `appendfsync is ${appendfsync ?? 'not to be seen'}: when its machine fails, the last second of grants can be lost; "always" keeps them`,
    );
  }
  if (Number(info.get('connected_slaves') ?? 0) > 0) {
    warnings.push(
      'Redis has replicas: a failover before a grant was replicated gives the lock to a second owner',
    );
  }
  if (info.get('maxmemory_policy') === undefined) {
    warnings.push('Redis does not say its maxmemory-policy: it must be noeviction');
  }
  return warnings;
}
