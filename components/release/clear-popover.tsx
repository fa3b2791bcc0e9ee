'use client';

import { useRef } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import type { ServerAnchor } from '@/lib/queries/server-anchor';

import { Popover } from '../ui/popover';
import { ServerClock } from '../ui/server-clock';
import { ChangedNotice } from './changed-notice';
import { ClearQuestion } from './clear-question';
import { useWatchedLease } from './use-watched-lease';

interface ClearPopoverProps {
  readonly seen: LockOnWire;
  readonly seenAt: ServerAnchor;
  readonly anchor: Element | null;
  readonly onClose: () => void;
  readonly onClear: (reason: string | null) => void;
}

export function ClearPopover({ seen, seenAt, anchor, onClose, onClear }: ClearPopoverProps) {
  const t = useTranslations('clear');
  const watched = useWatchedLease(seen, null);
  const { change } = watched;
  const cancelRef = useRef<HTMLButtonElement>(null);
  return (
    <Popover title={t('title')} anchor={anchor} onClose={onClose} initialFocus={cancelRef}>
      <ServerClock anchor={watched.anchor ?? seenAt} isFrozen={false}>
        {change.kind === 'same' || change.kind === 'ran-out' ? (
          <ClearQuestion
            lock={watched.lock}
            cancelRef={cancelRef}
            onCancel={onClose}
            onClear={(reason) => {
              if (!watched.isChanging) onClear(reason);
            }}
          />
        ) : (
          <ChangedNotice seen={seen} change={change} onClose={onClose} />
        )}
      </ServerClock>
    </Popover>
  );
}
