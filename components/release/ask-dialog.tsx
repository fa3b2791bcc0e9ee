'use client';

import { useMutation } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import { ApiError } from '@/lib/queries/api-error';
import { askReleaseOptions } from '@/lib/queries/operate-lock';

import { CutText } from '../ui/cut-text';
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
  const ask = useMutation({
    ...askReleaseOptions,
    onSuccess: (outcome) => {
      if (outcome.kind === 'done') onAsked();
    },
  });
  const owner = () => <UserText key="owner">{seen.owner}</UserText>;
  return (
    <ReasonDialog
      title={t('title')}
      cancel={t('cancel')}
      act={t('ask')}
      acting={t('asking')}
      isSending={ask.isPending}
      changed={ask.data?.kind === 'changed' ? t.rich('changed', { owner }) : null}
      notDone={t('notAsked')}
      error={ask.error instanceof ApiError ? ask.error : null}
      onCancel={onClose}
      onAct={(reason) => ask.mutate({ seen, reason })}
    >
      <p className="flex text-title">
        <CutText text={seen.resource} isPath />
      </p>
      <p className="break-words">
        {t.rich(seen.renewed_at === null ? 'textNeverRenews' : 'text', { owner })}
      </p>
    </ReasonDialog>
  );
}
