'use client';

import { useRef, type RefObject } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import type { Released } from '@/lib/queries/release-lock';
import type { ServerAnchor } from '@/lib/queries/server-anchor';

import { Modal } from '../ui/modal';
import { ServerClock } from '../ui/server-clock';
import { ChangedNotice } from './changed-notice';
import { ClearQuestion } from './clear-question';
import { ForceReleaseForm } from './force-release-form';
import { LateRelease } from './late-release';
import { useForceRelease, type ForceRelease } from './use-force-release';

interface ForceReleaseDialogProps {
  readonly seen: LockOnWire;
  readonly seenAt: ServerAnchor;
  readonly onClose: () => void;
  readonly onReleased: (released: Released) => void;
  /** The lease ran out meanwhile, and the operator clears what is left of it. */
  readonly onClear: (lock: LockOnWire, reason: string | null) => void;
}

/** Dialog A, which becomes C when the lock changes under it, and B when its lease runs out. */
export function ForceReleaseDialog(props: ForceReleaseDialogProps) {
  const { seen, seenAt, onClose, onReleased, onClear } = props;
  const t = useTranslations('force');
  const keepRef = useRef<HTMLButtonElement>(null);
  const release = useForceRelease({ seen, seenAt, onReleased });
  return (
    <Modal
      title={t('title')}
      role="alertdialog"
      onClose={onClose}
      isBusy={release.isSending}
      initialFocus={keepRef}
    >
      <ServerClock anchor={release.anchor} isFrozen={false}>
        <Stage {...{ seen, release, keepRef, onClose, onClear }} />
      </ServerClock>
    </Modal>
  );
}

interface StageProps extends Pick<ForceReleaseDialogProps, 'seen' | 'onClose' | 'onClear'> {
  readonly release: ForceRelease;
  readonly keepRef: RefObject<HTMLButtonElement | null>;
}

function Stage({ seen, release, keepRef, onClose, onClear }: StageProps) {
  const t = useTranslations('changed');
  const { lock, change, lateAtMs, draft } = release;
  if (change.kind === 'same') {
    return <ForceReleaseForm {...release} keepRef={keepRef} onKeep={onClose} />;
  }
  if (change.kind === 'ran-out') {
    return (
      <>
        <p role="alert" className="font-strong">
          {t('ranOut')}
        </p>
        <ClearQuestion
          lock={lock}
          reasonBefore={draft.reason}
          onCancel={onClose}
          onClear={(reason) => onClear(lock, reason)}
        />
      </>
    );
  }
  if (lateAtMs !== null) return <LateRelease atMs={lateAtMs} onClose={onClose} />;
  return <ChangedNotice seen={seen} change={change} onClose={onClose} />;
}
