import type { AccessControl } from '@/lib/access/access-control';

import { besideDatabase, writeOnce } from './secret-file';

const fileName = 'holdfast.first-key';

/**
 * On a database that has never had a key or an admin, makes one key and leaves its secret in a file beside the database,
 * which only its owner may read. So the first calls work as they are printed, and no secret is: what is printed ends in logs.
 */
export async function makeFirstKey(access: AccessControl, databaseUrl: string): Promise<void> {
  const [keys, hasAdmin] = await Promise.all([access.keys.list(), access.store.hasAdmin()]);
  if (keys.length > 0 || hasAdmin) return;
  const wanted = {
    name: 'first key',
    client: 'local',
    scopes: ['acquire', 'read'],
    patterns: ['*'],
    expiresAtMs: null,
  } as const;
  const made = await access.keys.create(wanted, { actor: 'first start', requestId: null });
  if (made === null) return;
  const isWritten = await writeOnce(firstKeyFile(databaseUrl), made.secret);
  // Another process was first, or a file from an earlier database is there: nobody could ever know this secret.
  if (!isWritten) await access.keys.revoke(made.key.id, { actor: 'first start', requestId: null });
}

export function firstKeyFile(databaseUrl: string): string {
  return besideDatabase(databaseUrl, fileName);
}
