import { z } from 'zod';

import type { Member, Prisma } from '@/generated/prisma-sqlite/client';

import type {
  AccessStore,
  EventBy,
  MemberRefusal,
  NewLink,
  NewMember,
  SignInWay,
  StoredMember,
} from '../../access/access-store';
import { roles } from '../../contract/access';
import type { AccessEventKind } from '../../locks/events';
import { isTaken, writeEvent, type AccessDatabase } from './transaction';

type MemberCalls = Pick<
  AccessStore,
  'members' | 'hasAdmin' | 'addMember' | 'changeRole' | 'removeMember' | 'replaceLink'
>;

export function memberCalls({ prisma, read, transact }: AccessDatabase): MemberCalls {
  return {
    members: () =>
      read(async () => {
        const rows = await prisma.member.findMany({
          include: withAccounts,
          orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        });
        return rows.map(memberOfRow);
      }),

    hasAdmin: () => read(async () => (await prisma.member.count({ where: signedUpAdmin })) > 0),

    addMember: (member, link, by) =>
      unlessTaken(() =>
        transact(async (tx, nowMs) => {
          const row = await tx.member.create({ data: rowOf(member, nowMs), include: withAccounts });
          await putLink(tx, member.id, link, nowMs);
          await noteChange(tx, 'member_added', row, by, nowMs, `role ${member.role}`);
          return memberOfRow(row);
        }),
      ),

    changeRole: (id, role, by) =>
      transact(async (tx, nowMs) => {
        const row = await guarded(tx, id, role !== 'admin');
        if (typeof row === 'string') return row;
        const data = { role, updatedAt: new Date(nowMs) };
        const changed = await tx.member.update({ where: { id }, data, include: withAccounts });
        if (row.role !== role) {
          await noteChange(tx, 'member_changed', row, by, nowMs, `role ${row.role} to ${role}`);
        }
        return memberOfRow(changed);
      }),

    removeMember: (id, by) =>
      transact(async (tx, nowMs) => {
        const row = await guarded(tx, id, true);
        if (typeof row === 'string') return row;
        await tx.accessLink.deleteMany({ where: { memberId: id } });
        await tx.session.deleteMany({ where: { memberId: id } });
        await tx.account.deleteMany({ where: { memberId: id } });
        await tx.member.delete({ where: { id } });
        await noteChange(tx, 'member_removed', row, by, nowMs, `role ${row.role}`);
        return 'removed' as const;
      }),

    replaceLink: (memberId, link, by) =>
      transact(async (tx, nowMs) => {
        const row = await tx.member.findUnique({
          where: { id: memberId },
          include: withAccounts,
        });
        if (row === null) return null;
        await putLink(tx, memberId, link, nowMs);
        await noteChange(tx, 'member_changed', row, by, nowMs, 'new one-time link');
        return memberOfRow(row);
      }),
  };
}

/** The provider id that better-auth gives to passwords. */
export const passwordProvider = 'credential';

export const withAccounts = { accounts: { select: { providerId: true } } } as const;

/** One who was only invited can't help when the last other admin is gone. */
export const signedUpAdmin = { role: 'admin', accounts: { some: {} } } as const;

type MemberRow = Member & { readonly accounts: readonly { readonly providerId: string }[] };

/** Takes its turn among all changes of members: what is read after this stays true until the commit. */
export async function takeTurn(tx: Prisma.TransactionClient): Promise<void> {
  await tx.accessGuard.update({ where: { id: 1 }, data: { changes: { increment: 1 } } });
}

/** @param losesAdmin whether the change would take an admin away. */
async function guarded(
  tx: Prisma.TransactionClient,
  id: string,
  losesAdmin: boolean,
): Promise<MemberRow | MemberRefusal> {
  await takeTurn(tx);
  const row = await tx.member.findUnique({ where: { id }, include: withAccounts });
  if (row === null) return 'not-found';
  const isAdmin = row.role === 'admin' && row.accounts.length > 0;
  if (!losesAdmin || !isAdmin) return row;
  const admins = await tx.member.count({ where: signedUpAdmin });
  return admins > 1 ? row : 'last-admin';
}

async function putLink(
  tx: Prisma.TransactionClient,
  memberId: string,
  { tokenHash, lastsMs }: NewLink,
  nowMs: number,
): Promise<void> {
  await tx.accessLink.deleteMany({ where: { memberId } });
  const times = { createdAt: new Date(nowMs), expiresAt: new Date(nowMs + lastsMs) };
  await tx.accessLink.create({ data: { tokenHash, memberId, ...times } });
}

export async function noteChange(
  tx: Prisma.TransactionClient,
  kind: AccessEventKind,
  member: { readonly email: string },
  { actor, requestId }: EventBy,
  nowMs: number,
  reason: string | null,
): Promise<void> {
  const event = { kind, subject: member.email, client: null, reason, actor, requestId };
  await writeEvent(tx, event, nowMs);
}

export function rowOf({ id, email, name, role }: NewMember, nowMs: number) {
  const now = new Date(nowMs);
  return { id, email, name, role, createdAt: now, updatedAt: now };
}

const roleOfRow = z.enum(roles);

export function memberOfRow(row: MemberRow): StoredMember {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: roleOfRow.parse(row.role),
    canSignIn: row.accounts.length > 0,
    signsInBy: waysOf(row),
    createdAtMs: row.createdAt.getTime(),
  };
}

function waysOf({ accounts }: MemberRow): SignInWay[] {
  const ways = accounts.map(({ providerId }) =>
    providerId === passwordProvider ? 'password' : 'provider',
  );
  return [...new Set(ways)].sort();
}

/** Runs work that adds a member; an address that somebody has already is a value, not a failure. */
export async function unlessTaken<T>(work: () => Promise<T>): Promise<T | 'taken'> {
  try {
    return await work();
  } catch (error) {
    if (isTaken(error) || (error instanceof Error && isTaken(error.cause))) return 'taken';
    throw error;
  }
}
