import { randomUUID } from 'node:crypto';

import type { Prisma } from '@/generated/prisma-sqlite/client';

import type { AccessStore, NewMember, StoredMember } from '../../access/access-store';
import {
  memberOfRow,
  noteChange,
  passwordProvider,
  rowOf,
  signedUpAdmin,
  takeTurn,
  unlessTaken,
  withAccounts,
} from './members';
import type { AccessDatabase } from './transaction';

type LinkCalls = Pick<
  AccessStore,
  'addFirstAdminLink' | 'findLink' | 'redeemLink' | 'addFirstAdmin'
>;

export function linkCalls({ prisma, read, transact, nowMs }: AccessDatabase): LinkCalls {
  return {
    addFirstAdminLink: ({ tokenHash, lastsMs }) =>
      transact(async (tx, now) => {
        await tx.accessLink.deleteMany({ where: { expiresAt: { lte: new Date(now) } } });
        const times = { createdAt: new Date(now), expiresAt: new Date(now + lastsMs) };
        await tx.accessLink.create({ data: { tokenHash, memberId: null, ...times } });
      }),

    async findLink(tokenHash) {
      const now = await nowMs();
      return read(async () => {
        const link = await prisma.accessLink.findUnique({ where: { tokenHash } });
        if (link === null || link.expiresAt.getTime() <= now) return null;
        const expiresAtMs = link.expiresAt.getTime();
        if (link.memberId === null) {
          const isVoid = (await prisma.member.count({ where: signedUpAdmin })) > 0;
          return isVoid ? null : { member: null, expiresAtMs };
        }
        const where = { id: link.memberId };
        const row = await prisma.member.findUnique({ where, include: withAccounts });
        return row === null ? null : { member: memberOfRow(row), expiresAtMs };
      });
    },

    redeemLink: ({ tokenHash, passwordHash, firstAdmin, requestId }) =>
      unlessTaken(() =>
        transact(async (tx, now) => {
          await takeTurn(tx);
          const found = await tx.accessLink.findUnique({ where: { tokenHash } });
          if (found === null || found.expiresAt.getTime() <= now) return null;
          await tx.accessLink.delete({ where: { tokenHash } });
          if (found.memberId !== null) {
            return setPassword(tx, found.memberId, passwordHash, requestId, now);
          }
          if (firstAdmin === null || (await tx.member.count({ where: signedUpAdmin })) > 0) {
            return null;
          }
          return addAdmin(tx, { ...firstAdmin, passwordHash }, requestId, now);
        }),
      ),

    addFirstAdmin: (admin) =>
      unlessTaken(() =>
        transact(async (tx, now) => {
          await takeTurn(tx);
          if ((await tx.member.count({ where: signedUpAdmin })) > 0) return 'exists' as const;
          return addAdmin(tx, admin, null, now);
        }),
      ),
  };
}

async function addAdmin(
  tx: Prisma.TransactionClient,
  admin: NewMember & { readonly passwordHash: string },
  requestId: string | null,
  nowMs: number,
): Promise<StoredMember> {
  await tx.member.create({ data: rowOf(admin, nowMs) });
  await putAccount(tx, admin.id, admin.passwordHash, nowMs);
  await tx.accessLink.deleteMany({ where: { memberId: null } });
  const by = { actor: admin.email, requestId };
  await noteChange(tx, 'member_added', admin, by, nowMs, 'first admin');
  const { id, email, name, role } = admin;
  const signsInBy = ['password'] as const;
  return { id, email, name, role, canSignIn: true, signsInBy, createdAtMs: nowMs };
}

/** Whoever was signed in with the old password is so no longer. */
async function setPassword(
  tx: Prisma.TransactionClient,
  memberId: string,
  passwordHash: string,
  requestId: string | null,
  nowMs: number,
): Promise<StoredMember | null> {
  const row = await tx.member.findUnique({ where: { id: memberId }, include: withAccounts });
  if (row === null) return null;
  await tx.session.deleteMany({ where: { memberId } });
  await tx.accessLink.deleteMany({ where: { memberId } });
  await tx.account.deleteMany({ where: { memberId, providerId: passwordProvider } });
  await putAccount(tx, memberId, passwordHash, nowMs);
  const by = { actor: row.email, requestId };
  await noteChange(tx, 'member_changed', row, by, nowMs, 'password set by a one-time link');
  const { signsInBy, ...member } = memberOfRow(row);
  const ways = [...new Set([...signsInBy, 'password' as const])].sort();
  return { ...member, canSignIn: true, signsInBy: ways };
}

/** As better-auth keeps a password: the account's own id for a user is the user's. */
async function putAccount(
  tx: Prisma.TransactionClient,
  memberId: string,
  password: string,
  nowMs: number,
): Promise<void> {
  const now = new Date(nowMs);
  const account = { accountId: memberId, providerId: passwordProvider, memberId, password };
  await tx.account.create({
    data: { id: randomUUID(), ...account, createdAt: now, updatedAt: now },
  });
}
