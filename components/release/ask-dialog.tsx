'use client';

import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import { askReleaseOptions } from '@/lib/queries/operate-lock';

import { useSendOnce } from '../ui/use-send-once';
import { UserText } from '../ui/user-text';
import { ReasonDialog } from './reason-dialog';

interface AskDialogProps {
  readonly seen: LockOnWire;
  readonly onClose: () => void;
  readonly onAsked: () => void;
}

/** Asks the holder to let go; nothing is taken from it. */
export function AskDialog({ seen, onClose, onAsked }: AskDialogProps) {
  const t = useTranslations('ask');
  const ask = useSendOnce(askReleaseOptions, {
    onAnswer(outcome) {
      if (outcome.kind === 'done') onAsked();
    },
  });
  const owner = () => <UserText key="owner">{seen.owner}</UserText>;
  return (
    <ReasonDialog
      title={t('title')}
      resource={seen.resource}
      cancel={t('cancel')}
      act={t('ask')}
      acting={t('asking')}
      isSending={ask.isSending}
      changed={ask.answer?.kind === 'changed' ? t.rich('changed', { owner }) : null}
      notDone={t('notAsked')}
      error={ask.error}
      onCancel={onClose}
      onAct={(reason) => ask.send({ seen, reason })}
    >
      <p className="break-words">
        {t.rich(seen.renewed_at === null ? 'textNotRenewed' : 'text', { owner })}
      </p>
    </ReasonDialog>
  );
}
