'use client';

import { Toast } from '@base-ui/react/toast';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import { ApiError } from '@/lib/queries/api-error';
import { leaseChange } from '@/lib/queries/lease-change';
import { releaseOptions, type ReleaseOutcome } from '@/lib/queries/release-lock';
import type { ServerAnchor } from '@/lib/queries/server-anchor';

import { CutText } from '../ui/cut-text';
import { ProblemNote } from '../ui/problem-note';
import { ServerClock } from '../ui/server-clock';
import { ChangeText } from './changed-notice';
import { ClearPopover } from './clear-popover';
import { ForceReleaseDialog } from './force-release-dialog';
import { ReleasedToast } from './released-toast';
import { ReopenDialog } from './reopen-dialog';

interface Question {
  readonly lock: LockOnWire;
  readonly anchor: ServerAnchor;
  /** Beside which a clear is asked about. */
  readonly button: Element | null;
}

interface EndingOptions {
  /** A row was cleared, or found to be gone: it need not be shown any longer. */
  readonly onCleared?: (lock: LockOnWire) => void;
}

export interface Ending {
  /** Asks the question that fits: force-release a live lock, clear an expired one, reopen a closed one. */
  readonly ask: (question: Question) => void;
  readonly dialogs: ReactNode;
}

/** The questions that end a lease, from opening them to what is said afterwards. */
export function useEnding({ onCleared }: EndingOptions): Ending {
  const [question, setQuestion] = useState<Question | null>(null);
  const queryClient = useQueryClient();
  const say = useOutcomeToasts();
  const clear = useMutation(releaseOptions);
  const close = () => setQuestion(null);
  const readAnew = () => {
    void queryClient.invalidateQueries({ queryKey: ['locks'] });
    void queryClient.invalidateQueries({ queryKey: ['lock'] });
  };

  async function clearNow(asked: Question, reason: string | null) {
    close();
    const seen = asked.lock;
    try {
      const outcome = await clear.mutateAsync({ seen, reason, holdSeconds: 0, onlyExpired: true });
      if (outcome.kind === 'released') onCleared?.(seen);
      else say.notCleared(asked, outcome);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      say.refused(asked, error);
    }
    readAnew();
  }

  const common = question && {
    seen: question.lock,
    seenAt: question.anchor,
    onClose: close,
  };
  return {
    ask: useCallback((asked: Question) => setQuestion(asked), []),
    dialogs: question && common && (
      <QuestionDialog
        key={`${question.lock.resource} ${question.lock.fencing_token}`}
        question={question}
        common={common}
        onClear={(lock, reason) => void clearNow({ ...question, lock }, reason)}
        onReleased={(released) => {
          close();
          say.released(question.lock, released);
          readAnew();
        }}
        onReopened={() => {
          close();
          say.reopened(question.lock);
          readAnew();
        }}
      />
    ),
  };
}

interface QuestionDialogProps {
  readonly question: Question;
  readonly common: {
    readonly seen: LockOnWire;
    readonly seenAt: ServerAnchor;
    readonly onClose: () => void;
  };
  readonly onClear: (lock: LockOnWire, reason: string | null) => void;
  readonly onReleased: (released: Extract<ReleaseOutcome, { kind: 'released' }>) => void;
  readonly onReopened: () => void;
}

function QuestionDialog(props: QuestionDialogProps) {
  const { question, common, onClear, onReleased, onReopened } = props;
  const { lock } = question;
  if (lock.state === 'expired') {
    return (
      <ClearPopover
        {...common}
        anchor={question.button}
        onClear={(reason) => onClear(lock, reason)}
      />
    );
  }
  if (lock.held_by_operator !== null) return <ReopenDialog {...common} onReopened={onReopened} />;
  return <ForceReleaseDialog {...common} onReleased={onReleased} onClear={onClear} />;
}

/** What is said after a question was answered; each stays until it is dismissed. */
function useOutcomeToasts() {
  const t = useTranslations('clear');
  const tReopen = useTranslations('reopen');
  const { add } = Toast.useToastManager();
  const toast = (lock: LockOnWire, description: ReactNode, timeout = 0) =>
    add({
      timeout,
      description: (
        <div className="flex flex-col gap-1">
          <CutText text={lock.resource} isPath />
          {description}
        </div>
      ),
    });
  return {
    released(seen: LockOnWire, released: Extract<ReleaseOutcome, { kind: 'released' }>) {
      toast(seen, <ReleasedToast seen={seen} released={released} />);
    },
    reopened: (seen: LockOnWire) => toast(seen, tReopen('reopened'), 8_000),
    refused(asked: Question, error: ApiError) {
      toast(asked.lock, <ProblemNote what={t('notCleared')} error={error} />);
    },
    notCleared(asked: Question, outcome: Exclude<ReleaseOutcome, { kind: 'released' }>) {
      if (outcome.kind !== 'changed') {
        const what = t(outcome.kind === 'unknown' ? 'notKnown' : 'notCleared');
        toast(asked.lock, <ProblemNote what={what} error={outcome.error} />);
        return;
      }
      const change = leaseChange(asked.lock, outcome.current, outcome.events);
      const description =
        change.kind === 'same' || change.kind === 'ran-out' ? (
          t('notCleared')
        ) : (
          <ServerClock anchor={asked.anchor} isFrozen={false}>
            <ChangeText seen={asked.lock} change={change} />
          </ServerClock>
        );
      toast(asked.lock, description);
    },
  };
}
