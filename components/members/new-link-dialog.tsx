'use client';

import { useTranslations } from 'use-intl';

import { newLinkOptions } from '@/lib/queries/members';

import { useStayOnPage } from '../access/use-stay-on-page';
import { useSendOnce } from '../ui/use-send-once';
import type { NewLink } from './link-dialog';
import { MemberDialog, type MemberQuestionProps } from './member-dialog';

interface NewLinkDialogProps extends MemberQuestionProps {
  readonly onMade: (made: NewLink) => void;
}

/** For who lost the link or the password. */
export function NewLinkDialog({ member, onClose, onSettled, onMade }: NewLinkDialogProps) {
  const t = useTranslations('members');
  const link = useSendOnce(newLinkOptions, {
    onAnswer(made) {
      onSettled();
      onMade(made);
    },
    onRefused: onSettled,
  });
  useStayOnPage(link.isSending);
  return (
    <MemberDialog
      title={t('linkTitle')}
      member={member}
      act={t('makeLink')}
      acting={t('makingLink')}
      kind="primary"
      isSending={link.isSending}
      impossible={null}
      error={link.error}
      onClose={onClose}
      onAct={() => link.send(member.id)}
    >
      <ul className="flex list-disc flex-col gap-1 ps-5">
        <li>{t('linkVoidsOld')}</li>
        <li>{t(member.state === 'invited' ? 'linkForInvited' : 'linkEndsSessions')}</li>
      </ul>
    </MemberDialog>
  );
}
