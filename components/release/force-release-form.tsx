'use client';

import type { RefObject } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import type { ApiError } from '@/lib/queries/api-error';
import type { ReleaseOutcome } from '@/lib/queries/release-lock';

import { Button } from '../ui/button';
import { ProblemNote } from '../ui/problem-note';
import { ConfirmField } from './confirm-field';
import { Consequences } from './consequences';
import type { HoldOff } from './hold-off';
import { LeaseFacts } from './lease-facts';
import { LivenessLine } from './liveness-line';
import { ReasonField } from './reason-field';

interface ForceReleaseFormProps {
  readonly lock: LockOnWire;
  readonly reason: string;
  readonly typed: string;
  readonly holdOff: HoldOff;
  readonly confirmation: string;
  /** All that is asked for is there; until then neither Enter nor the button does anything. */
  readonly isReady: boolean;
  readonly isSending: boolean;
  readonly isUnreachable: boolean;
  readonly outcome: ReleaseOutcome | null;
  readonly error: ApiError | null;
  readonly keepRef: RefObject<HTMLButtonElement | null>;
  readonly onReason: (reason: string) => void;
  readonly onTyped: (typed: string) => void;
  readonly onHoldOff: (holdOff: HoldOff) => void;
  readonly onKeep: () => void;
  readonly onSubmit: () => void;
}

export function ForceReleaseForm(props: ForceReleaseFormProps) {
  const t = useTranslations('force');
  const { lock, reason, typed, holdOff, confirmation, isReady, isSending, keepRef } = props;
  const { onReason, onTyped, onHoldOff, onKeep, onSubmit, isUnreachable, outcome, error } = props;
  return (
    <form
      className="flex flex-col gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onSubmit();
      }}
    >
      <LeaseFacts lock={lock} />
      <LivenessLine lock={lock} />
      <Consequences lock={lock} holdOff={holdOff} onHoldOff={onHoldOff} />
      <ReasonField reason={reason} onReason={onReason} hasUsualReasons />
      <ConfirmField confirmation={confirmation} typed={typed} onTyped={onTyped} />
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

interface ReleaseProblemProps {
  readonly outcome: ReleaseOutcome | null;
  readonly error: ApiError | null;
}

/** What became of a try that did not release: refused, lost on its way, or not known. */
function ReleaseProblem({ outcome, error }: ReleaseProblemProps) {
  const t = useTranslations('force');
  if (error !== null) return <ProblemNote what={t('notReleased')} error={error} />;
  if (outcome?.kind === 'not-released') {
    return <ProblemNote what={t('notReleasedAfterAll')} error={outcome.error} />;
  }
  if (outcome?.kind === 'unknown')
    return <ProblemNote what={t('notKnown')} error={outcome.error} />;
  return null;
}
