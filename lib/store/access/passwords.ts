import type { AccessStore } from '../../access/access-store';

import { passwordProvider, takeTurn } from './members';
import type { AccessDatabase } from './transaction';

type PasswordCalls = Pick<AccessStore, 'passwordHash' | 'keepSession'>;

export function passwordCalls({ prisma, read, transact }: AccessDatabase): PasswordCalls {
  return {
    passwordHash: (email) =>
      read(async () => {
        const where = { providerId: passwordProvider, member: { email } };
        const account = await prisma.account.findFirst({ where, select: { password: true } });
        return account?.password ?? null;
      }),

    // The turn orders it with a password that is being set: either that deletes the session, or its hash is seen here.
    keepSession: ({ token, passwordHash }) =>
      transact(async (tx) => {
        await takeTurn(tx);
        const session = await tx.session.findUnique({ where: { token } });
        if (session === null) return false;
        const where = { providerId: passwordProvider, memberId: session.memberId };
        const account = await tx.account.findFirst({ where, select: { password: true } });
        if (account?.password === passwordHash) return true;
        await tx.session.delete({ where: { token } });
        return false;
      }),
  };
}
