'use client';

import { Toast } from '@base-ui/react/toast';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type RefObject } from 'react';
import { useTranslations } from 'use-intl';

import type { MemberOnWire } from '@/lib/contract/access-answers';
import { meQuery } from '@/lib/queries/me';
import { membersQueryKey } from '@/lib/queries/members';

import type { Person } from '../access/admin-gate';
import { UserText } from '../ui/user-text';
import { InviteDialog } from './invite-dialog';
import { isLastAdmin } from './last-admin';
import { LinkDialog, type NewLink } from './link-dialog';
import { NewLinkDialog } from './new-link-dialog';
import { RemoveDialog } from './remove-dialog';
import { RoleDialog } from './role-dialog';

type MemberQuestion = 'role' | 'link' | 'remove';
type Opened =
  | { readonly kind: 'invite' }
  | { readonly kind: MemberQuestion; readonly member: MemberOnWire }
  | { readonly kind: 'shown'; readonly made: NewLink };

interface MemberDialogsOptions {
  readonly members: readonly MemberOnWire[];
  readonly me: Person;
  /** Where the focus goes from a dialog whose opener may be gone. */
  readonly inviteRef: RefObject<HTMLButtonElement | null>;
}

/** The questions of this page, one at a time. A link lives here until its dialog is closed, and nowhere else. */
export function useMemberDialogs({ members, me, inviteRef }: MemberDialogsOptions) {
  const t = useTranslations('members');
  const queryClient = useQueryClient();
  const { add } = Toast.useToastManager();
  const [opened, setOpened] = useState<Opened | null>(null);

  function settled() {
    void queryClient.invalidateQueries({ queryKey: membersQueryKey });
    // Who changes their own role may have to leave.
    void queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
  }
  function done(what: 'roleChanged' | 'removed', member: MemberOnWire) {
    setOpened(null);
    const email = () => <UserText key="email">{member.email}</UserText>;
    add({ description: t.rich(what, { email }), timeout: 8_000 });
  }
  const shared = { onClose: () => setOpened(null), onSettled: settled };
  const onMade = (made: NewLink) => setOpened({ kind: 'shown', made });
  const about = opened !== null && 'member' in opened ? aboutOf(opened.member, members, me) : null;

  return {
    invite: () => setOpened({ kind: 'invite' }),
    ask: (kind: MemberQuestion, member: MemberOnWire) => setOpened({ kind, member }),
    dialogs: (
      <>
        {opened?.kind === 'invite' && <InviteDialog {...shared} onMade={onMade} />}
        {opened?.kind === 'shown' && (
          <LinkDialog
            made={opened.made}
            onClose={shared.onClose}
            finalFocus={() => inviteRef.current ?? true}
          />
        )}
        {opened?.kind === 'link' && about !== null && (
          <NewLinkDialog {...shared} {...about} onMade={onMade} />
        )}
        {opened?.kind === 'role' && about !== null && (
          <RoleDialog {...shared} {...about} onDone={(member) => done('roleChanged', member)} />
        )}
        {opened?.kind === 'remove' && about !== null && (
          <RemoveDialog {...shared} {...about} onDone={() => done('removed', about.member)} />
        )}
      </>
    ),
  };
}

export type MemberQuestions = Pick<ReturnType<typeof useMemberDialogs>, 'ask'>;

/** The member as it is now, and what is particular about it. */
function aboutOf(seen: MemberOnWire, members: readonly MemberOnWire[], me: Person) {
  const member = members.find(({ id }) => id === seen.id) ?? seen;
  return { member, isMe: member.id === me.id, isLast: isLastAdmin(member, members) };
}
