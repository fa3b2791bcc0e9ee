'use client';

import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import { ApiError } from '@/lib/queries/api-error';
import { acceptableReason } from '@/lib/queries/reason';
import { releaseOptions, type ReleaseOutcome } from '@/lib/queries/release-lock';
import { serverMsAt, type ServerAnchor } from '@/lib/queries/server-anchor';

import { Modal } from '../ui/modal';
import { ServerClock } from '../ui/server-clock';
import { ChangedNotice } from './changed-notice';
import { ClearQuestion } from './clear-question';
import { confirmationOf, isConfirmed } from './confirmation';
import { ForceReleaseForm } from './force-release-form';
import { holdSecondsOf, type HoldOff } from './hold-off';
import { LateRelease } from './late-release';
import { useWatchedLease, type Refusal } from './use-watched-lease';

export type Released = Extract<ReleaseOutcome, { kind: 'released' }>;

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
  const tChanged = useTranslations('changed');
  const keepRef = useRef<HTMLButtonElement>(null);
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const [holdOff, setHoldOff] = useState<HoldOff>('rest');
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const release = useMutation(releaseOptions);
  const watched = useWatchedLease(seen, refusal);
  const { lock } = watched;
  const anchor = watched.anchor ?? seenAt;

  const isSending = release.isPending;
  // While our own release is under way, what is polled may already show it: its answer tells.
  const change = isSending ? ({ kind: 'same' } as const) : watched.change;
  if (change.kind !== 'same' && typed !== '') setTyped('');

  const confirmation = confirmationOf(seen.resource, seen.fencing_token);
  const kept = acceptableReason(reason);
  const isReady =
    kept !== null && isConfirmed(typed, confirmation) && !isSending && !watched.isChanging;

  async function submit() {
    if (!isReady) return;
    const nowMs = serverMsAt(anchor, performance.now());
    const holdSeconds = holdSecondsOf(holdOff, lock, nowMs);
    const request = { seen, reason: kept, holdSeconds, onlyExpired: false };
    const outcome = await release.mutateAsync(request).catch(refusedByServer);
    if (outcome?.kind === 'released') onReleased(outcome);
    if (outcome?.kind === 'changed') setRefusal(outcome);
  }

  const lostRequestId =
    release.data?.kind === 'unknown' || release.data?.kind === 'not-released'
      ? release.data.requestId
      : null;
  const isOurs =
    change.kind === 'ended-by-person' &&
    lostRequestId !== null &&
    change.event.request_id === lostRequestId;

  return (
    <Modal
      title={t('title')}
      role="alertdialog"
      onClose={onClose}
      isBusy={isSending}
      initialFocus={keepRef}
    >
      <ServerClock anchor={anchor} isFrozen={false}>
        {change.kind === 'same' ? (
          <ForceReleaseForm
            {...{ lock, reason, typed, holdOff, confirmation, isReady, isSending, keepRef }}
            isUnreachable={watched.isUnreachable}
            outcome={release.data ?? null}
            error={release.error instanceof ApiError ? release.error : null}
            onReason={setReason}
            onTyped={setTyped}
            onHoldOff={setHoldOff}
            onKeep={onClose}
            onSubmit={() => void submit()}
          />
        ) : change.kind === 'ran-out' ? (
          <>
            <p role="alert" className="font-strong">
              {tChanged('ranOut')}
            </p>
            <ClearQuestion
              lock={lock}
              reasonBefore={reason}
              onCancel={onClose}
              onClear={(clearReason) => onClear(lock, clearReason)}
            />
          </>
        ) : isOurs ? (
          <LateRelease atMs={Date.parse(change.event.at)} onClose={onClose} />
        ) : (
          <ChangedNotice seen={seen} change={change} onClose={onClose} />
        )}
      </ServerClock>
    </Modal>
  );
}

/** A refusal is shown from the mutation's own state; anything else is a bug and goes its way. */
function refusedByServer(error: unknown): null {
  if (error instanceof ApiError) return null;
  throw error;
}
