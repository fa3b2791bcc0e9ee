import { z } from 'zod';

import type { ApiKey, Prisma } from '@/generated/prisma-sqlite/client';

import type {
  AccessEvent,
  AccessStore,
  EventBy,
  Rotation,
  StoredKey,
} from '../../access/access-store';
import { scopes } from '../../contract/access';
import { millisecondsOf, timeOf, writeEvent, type AccessDatabase } from './transaction';

type KeyCalls = Pick<
  AccessStore,
  'keys' | 'findKey' | 'addKey' | 'rotateKey' | 'revokeKey' | 'noteUses'
>;

export function keyCalls({ prisma, read, transact }: AccessDatabase): KeyCalls {
  return {
    keys: () =>
      read(async () => {
        const rows = await prisma.apiKey.findMany({
          orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
        });
        return rows.map(keyOfRow);
      }),

    findKey: (secretHash) =>
      read(async () => {
        const row = await prisma.apiKey.findUnique({ where: { secretHash } });
        return row === null ? null : keyOfRow(row);
      }),

    addKey: (key, event) =>
      transact(async (tx, nowMs) => {
        await tx.apiKey.create({ data: rowOfKey(key) });
        await writeEvent(tx, event, nowMs);
      }),

    rotateKey: (change, by) => transact((tx, nowMs) => rotate(tx, change, by, nowMs)),

    revokeKey: (id, by) =>
      transact(async (tx, nowMs) => {
        const { count } = await tx.apiKey.updateMany({
          where: { id, revokedAt: null },
          data: { revokedAt: new Date(nowMs) },
        });
        const row = await tx.apiKey.findUnique({ where: { id } });
        if (row === null) return null;
        const key = keyOfRow(row);
        if (count > 0) await writeEvent(tx, eventOf('key_revoked', key, by), nowMs);
        return key;
      }),

    noteUses: (uses) =>
      transact(async (tx) => {
        for (const [id, atMs] of uses) {
          const lastUsedAt = new Date(atMs);
          // Another instance may have noted a later use.
          const where = { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: lastUsedAt } }] };
          await tx.apiKey.updateMany({ where, data: { lastUsedAt } });
        }
      }),
  };
}

/** The old key is shortened first, by a statement that wants it unrevoked: a revoke at the same moment wins or waits. */
async function rotate(
  tx: Prisma.TransactionClient,
  { id, newId, prefix, secretHash, overlapMs, expiresAtMs }: Rotation,
  by: EventBy,
  nowMs: number,
) {
  const ending = { id, revokedAt: null };
  const old = await tx.apiKey.findFirst({ where: ending });
  if (old === null) return null;
  const newEndsAtMs = expiresAtMs === undefined ? millisecondsOf(old.expiresAt) : expiresAtMs;
  if (newEndsAtMs !== null && newEndsAtMs <= nowMs) return 'over';
  const endsAtMs = Math.min(nowMs + overlapMs, millisecondsOf(old.expiresAt) ?? Infinity);
  const { count } = await tx.apiKey.updateMany({
    where: ending,
    data: { expiresAt: new Date(endsAtMs) },
  });
  if (count === 0) return null;
  const key: StoredKey = {
    ...keyOfRow(old),
    id: newId,
    prefix,
    secretHash,
    createdAtMs: nowMs,
    createdBy: by.actor,
    expiresAtMs: newEndsAtMs,
    lastUsedAtMs: null,
  };
  await tx.apiKey.create({ data: rowOfKey(key) });
  await writeEvent(tx, eventOf('key_rotated', key, by), nowMs);
  return { key, replaced: { ...keyOfRow(old), expiresAtMs: endsAtMs } };
}

function eventOf(kind: 'key_rotated' | 'key_revoked', key: StoredKey, by: EventBy): AccessEvent {
  return {
    kind,
    subject: key.name,
    client: key.client,
    reason: null,
    actor: by.actor,
    requestId: by.requestId,
  };
}

const scopeList = z.array(z.enum(scopes));
const patternList = z.array(z.string());

function keyOfRow(row: ApiKey): StoredKey {
  return {
    id: row.id,
    name: row.name,
    client: row.client,
    prefix: row.prefix,
    secretHash: row.secretHash,
    scopes: scopeList.parse(row.scopes.split(' ')),
    patterns: patternList.parse(JSON.parse(row.patterns)),
    createdAtMs: row.createdAt.getTime(),
    createdBy: row.createdBy,
    expiresAtMs: millisecondsOf(row.expiresAt),
    revokedAtMs: millisecondsOf(row.revokedAt),
    lastUsedAtMs: millisecondsOf(row.lastUsedAt),
  };
}

function rowOfKey(key: StoredKey): ApiKey {
  return {
    id: key.id,
    name: key.name,
    client: key.client,
    prefix: key.prefix,
    secretHash: key.secretHash,
    scopes: key.scopes.join(' '),
    patterns: JSON.stringify(key.patterns),
    createdAt: new Date(key.createdAtMs),
    createdBy: key.createdBy,
    expiresAt: timeOf(key.expiresAtMs),
    revokedAt: timeOf(key.revokedAtMs),
    lastUsedAt: timeOf(key.lastUsedAtMs),
  };
}
