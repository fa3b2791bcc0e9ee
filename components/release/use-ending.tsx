'use client';

import { Toast } from '@base-ui/react/toast';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState, type ReactNode } from 'react';

import type { LockOnWire } from '@/lib/contract/answers';
import { releaseOptions } from '@/lib/queries/release-lock';
import type { ServerAnchor } from '@/lib/queries/server-anchor';

import { useMayOperate } from '../session/session-context';
import { useSendOnce } from '../ui/use-send-once';
import { ClearPopover } from './clear-popover';
import { ForceReleaseDialog } from './force-release-dialog';
import { ReopenDialog } from './reopen-dialog';
import { useOutcomeToasts } from './use-outcome-toasts';

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
  const { isAllowed, whyNot } = useMayOperate();
  const { add } = Toast.useToastManager();
  return {
    // A key may ask as well as a button; one who may not is told so, whichever way it was.
    ask: useCallback(
      (asked: Question) => {
        if (isAllowed) setQuestion(asked);
        else if (whyNot !== null)
          add({ id: 'needs-operator', description: whyNot, timeout: 8_000 });
      },
      [isAllowed, whyNot, add],
    ),
    dialogs: question && (
      <QuestionDialog
        key={`${question.lock.resource} ${question.lock.fencing_token}`}
        question={question}
        onClose={() => setQuestion(null)}
        onCleared={onCleared}
      />
    ),
  };
}

interface QuestionDialogProps {
  readonly question: Question;
  readonly onClose: () => void;
  readonly onCleared: EndingOptions['onCleared'];
}

function QuestionDialog({ question, onClose, onCleared }: QuestionDialogProps) {
  const { lock, anchor, button } = question;
  const say = useOutcomeToasts(anchor);
  const readAnew = useReadAnew();
  const clear = useClear({ question, onClose, onCleared });
  const common = { seen: lock, seenAt: anchor, onClose };

  if (lock.state === 'expired') {
    return <ClearPopover {...common} anchor={button} onClear={(reason) => clear(lock, reason)} />;
  }
  function onEnded(sayIt: () => void) {
    onClose();
    sayIt();
    readAnew();
  }
  if (lock.held_by_operator !== null) {
    return <ReopenDialog {...common} onReopened={() => onEnded(() => say.reopened(lock))} />;
  }
  return (
    <ForceReleaseDialog
      {...common}
      onReleased={(released) => onEnded(() => say.released(lock, released))}
      onClear={clear}
    />
  );
}

/** Clears at once and without a dialog in the way: what comes of it is said in a message, or by the row that goes. */
function useClear({ question, onClose, onCleared }: QuestionDialogProps) {
  const say = useOutcomeToasts(question.anchor);
  const readAnew = useReadAnew();
  const clear = useSendOnce(releaseOptions, {
    onAnswer(outcome, { seen }) {
      if (outcome.kind === 'released') onCleared?.(seen);
      else say.notCleared(seen, outcome);
      readAnew();
    },
    onRefused(error, { seen }) {
      say.refused(seen, error);
      readAnew();
    },
  });
  return (seen: LockOnWire, reason: string | null) => {
    clear.send({ seen, reason, holdSeconds: 0, onlyExpired: true });
    onClose();
  };
}

function useReadAnew(): () => void {
  const queryClient = useQueryClient();
  return () => {
    void queryClient.invalidateQueries({ queryKey: ['locks'] });
    void queryClient.invalidateQueries({ queryKey: ['lock'] });
  };
}
