'use client';

import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslations } from 'use-intl';

import { membersOptions } from '@/lib/queries/members';

import { AdminGate, type Person } from '../access/admin-gate';
import { AdminList } from '../access/admin-list';
import { usePaused } from '../ui/use-paused';
import { MembersTable } from './members-table';
import { useMemberDialogs } from './use-member-dialogs';

/** The people who may sign in, and what each of them may do. */
export function MembersScreen() {
  const t = useTranslations('members');
  return <AdminGate title={t('title')}>{(admin) => <Members me={admin} />}</AdminGate>;
}

function Members({ me }: { readonly me: Person }) {
  const t = useTranslations('members');
  const list = useQuery(membersOptions({ isPaused: usePaused() }));
  const inviteRef = useRef<HTMLButtonElement>(null);
  const questions = useMemberDialogs({ members: list.data?.members ?? [], me, inviteRef });
  return (
    <AdminList
      words="members"
      list={list}
      addLabel={t('invite')}
      addRef={inviteRef}
      onAdd={questions.invite}
      dialogs={questions.dialogs}
    >
      {({ members }) => (
        <>
          <MembersTable members={members} me={me} questions={questions} />
          {/* Whoever reads this is a member, so an empty list is one of a single row. */}
          {members.length === 1 && (
            <p role="status" className="px-3 py-4 sm:px-5">
              {t('onlyYou')}
            </p>
          )}
        </>
      )}
    </AdminList>
  );
}
