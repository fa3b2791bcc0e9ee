'use client';

import { Toast } from '@base-ui/react/toast';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import type { ApiError } from '@/lib/queries/api-error';
import { leaseChange } from '@/lib/queries/lease-change';
import { isLost, type Changed, type Lost, type Released } from '@/lib/queries/release-lock';
import type { ServerAnchor } from '@/lib/queries/server-anchor';

import { CutText } from '../ui/cut-text';
import { ProblemNote } from '../ui/problem-note';
import { ServerClock } from '../ui/server-clock';
import { ChangeText } from './changed-notice';
import { ReleasedToast } from './released-toast';

/** What is said after a question about a lock was answered. */
export function useOutcomeToasts(anchor: ServerAnchor) {
  const t = useTranslations('clear');
  const tReopen = useTranslations('reopen');
  const { add } = Toast.useToastManager();

  /** Without a timeout it stays until it is dismissed. */
  function toast(seen: LockOnWire, description: ReactNode, timeout = 0) {
    const named = (
      <div className="flex flex-col gap-1">
        <CutText text={seen.resource} isPath />
        {description}
      </div>
    );
    add({ description: named, timeout });
  }
  function lostText({ kind, error }: Lost): ReactNode {
    return <ProblemNote what={t(kind === 'unknown' ? 'notKnown' : 'notCleared')} error={error} />;
  }
  function changedText(seen: LockOnWire, outcome: Changed): ReactNode {
    const change = leaseChange(seen, outcome.current, outcome.events);
    if (change.kind === 'same' || change.kind === 'ran-out') return t('notCleared');
    return (
      <ServerClock anchor={anchor} isFrozen={false}>
        <ChangeText seen={seen} change={change} />
      </ServerClock>
    );
  }

  return {
    released: (seen: LockOnWire, released: Released) =>
      toast(seen, <ReleasedToast seen={seen} released={released} />),
    reopened: (seen: LockOnWire) => toast(seen, tReopen('reopened'), 8_000),
    refused: (seen: LockOnWire, error: ApiError) =>
      toast(seen, <ProblemNote what={t('notCleared')} error={error} />),
    notCleared(seen: LockOnWire, outcome: Changed | Lost) {
      toast(seen, isLost(outcome) ? lostText(outcome) : changedText(seen, outcome));
    },
  };
}
