'use client';

import { useTranslations } from 'use-intl';

import { removeMemberOptions } from '@/lib/queries/members';

import { useSendOnce } from '../ui/use-send-once';
import { MemberDialog, type MemberQuestionProps } from './member-dialog';

interface RemoveDialogProps extends MemberQuestionProps {
  readonly onDone: () => void;
}

export function RemoveDialog(props: RemoveDialogProps) {
  const { member, isMe, isLast, onClose, onSettled, onDone } = props;
  const t = useTranslations('members');
  const remove = useSendOnce(removeMemberOptions, {
    onAnswer() {
      onSettled();
      onDone();
    },
    onRefused(error) {
      onSettled();
      // Somebody else was faster, or an answer got lost before.
      if (error.code === 'not-found') onDone();
    },
  });
  const isRefusedAsLast = remove.error?.code === 'last-admin';
  return (
    <MemberDialog
      title={t('removeTitle')}
      member={member}
      act={t('removeAct')}
      acting={t('removing')}
      kind="danger-solid"
      isSending={remove.isSending}
      impossible={isLast || isRefusedAsLast ? t('lastAdminText') : null}
      error={remove.error}
      onClose={onClose}
      onAct={() => remove.send(member.id)}
    >
      {isMe && <p className="border-s-2 border-amber ps-3 font-strong">{t('removeYourself')}</p>}
      <ul className="flex list-disc flex-col gap-1 ps-5">
        <li>{t(member.state === 'invited' ? 'removeInvited' : 'removeSignsOut')}</li>
        <li>{t('removeKeeps')}</li>
        {member.signs_in_by.includes('provider') && <li>{t('removeProvider')}</li>}
      </ul>
    </MemberDialog>
  );
}
