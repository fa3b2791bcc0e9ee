'use client';

import type { RefObject } from 'react';
import { useTranslations } from 'use-intl';

import { isLost } from '@/lib/queries/release-lock';

import { Button } from '../ui/button';
import { ProblemNote } from '../ui/problem-note';
import { ConfirmField } from './confirm-field';
import { Consequences } from './consequences';
import { LeaseFacts } from './lease-facts';
import { LivenessLine } from './liveness-line';
import { ReasonField } from './reason-field';
import type { ForceRelease } from './use-force-release';

interface ForceReleaseFormProps extends Omit<ForceRelease, 'anchor' | 'change' | 'lateAtMs'> {
  readonly keepRef: RefObject<HTMLButtonElement | null>;
  readonly onKeep: () => void;
}

export function ForceReleaseForm(props: ForceReleaseFormProps) {
  const t = useTranslations('force');
  const { lock, draft, confirmation, isReady, isSending, isUnreachable, outcome, error } = props;
  const { keepRef, onDraft, onKeep, onSubmit } = props;
  return (
    <form
      className="flex flex-col gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <LeaseFacts lock={lock} />
      <LivenessLine lock={lock} />
      <Consequences
        lock={lock}
        holdOff={draft.holdOff}
        onHoldOff={(holdOff) => onDraft({ holdOff })}
      />
      <ReasonField
        reason={draft.reason}
        onReason={(reason) => onDraft({ reason })}
        hasUsualReasons
      />
      <ConfirmField
        confirmation={confirmation}
        typed={draft.typed}
        onTyped={(typed) => onDraft({ typed })}
      />
      <ReleaseProblem outcome={outcome} error={error} />
      {isUnreachable && !isSending && (
        <p role="status" className="text-amber">
          {t('unreachable')}
        </p>
      )}
      <div className="flex flex-wrap justify-end gap-x-8 gap-y-2 pt-1">
        <button
          ref={keepRef}
          type="button"
          onClick={onKeep}
          disabled={isSending}
          className={keepClass}
        >
          {t('keep')}
        </button>
        <Button type="submit" kind="danger-solid" aria-disabled={!isReady}>
          {isSending ? t('releasing') : t('forceRelease')}
        </Button>
      </div>
    </form>
  );
}

const keepClass =
  'inline-flex h-8 items-center rounded-control border border-control bg-surface px-3 hover:bg-ground disabled:text-dim';

/** What became of a try that did not release: refused, lost on its way, or not known. */
function ReleaseProblem({ outcome, error }: Pick<ForceRelease, 'outcome' | 'error'>) {
  const t = useTranslations('force');
  if (error !== null) return <ProblemNote what={t('notReleased')} error={error} />;
  if (outcome === null || !isLost(outcome)) return null;
  const what = t(outcome.kind === 'unknown' ? 'notKnown' : 'notReleasedAfterAll');
  return <ProblemNote what={what} error={outcome.error} />;
}
