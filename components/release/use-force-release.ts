'use client';

import { useState } from 'react';

import type { LockOnWire } from '@/lib/contract/answers';
import type { ApiError } from '@/lib/queries/api-error';
import type { LeaseChange } from '@/lib/queries/lease-change';
import { acceptableReason } from '@/lib/queries/reason';
import {
  isLost,
  releaseOptions,
  type Released,
  type ReleaseOutcome,
} from '@/lib/queries/release-lock';
import { serverMsAt, type ServerAnchor } from '@/lib/queries/server-anchor';

import { useSendOnce } from '../ui/use-send-once';
import { confirmationOf, isConfirmed } from './confirmation';
import { holdSecondsOf, type HoldOff } from './hold-off';
import { useWatchedLease, type Refusal } from './use-watched-lease';

/** What the operator has filled in so far. */
interface ReleaseDraft {
  readonly reason: string;
  readonly typed: string;
  readonly holdOff: HoldOff;
}

interface ForceReleaseOptions {
  readonly seen: LockOnWire;
  readonly seenAt: ServerAnchor;
  readonly onReleased: (released: Released) => void;
}

export interface ForceRelease {
  /** The lease with its newest times, and the server's time of them. */
  readonly lock: LockOnWire;
  readonly anchor: ServerAnchor;
  readonly change: LeaseChange;
  /** When our own release took place, of which the answer had got lost; null otherwise. */
  readonly lateAtMs: number | null;
  readonly draft: ReleaseDraft;
  readonly confirmation: string;
  /** All that is asked for is there; until then neither Enter nor the button does anything. */
  readonly isReady: boolean;
  readonly isSending: boolean;
  readonly isUnreachable: boolean;
  readonly outcome: ReleaseOutcome | null;
  readonly error: ApiError | null;
  readonly onDraft: (changed: Partial<ReleaseDraft>) => void;
  readonly onSubmit: () => void;
}

const emptyDraft: ReleaseDraft = { reason: '', typed: '', holdOff: 'rest' };

/** What has been filled in, whether it may be sent, what came of it, and what became of the lease meanwhile. */
export function useForceRelease({ seen, seenAt, onReleased }: ForceReleaseOptions): ForceRelease {
  const [draft, setDraft] = useState(emptyDraft);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const release = useSendOnce(releaseOptions, {
    mayRepeat: isLost,
    onAnswer(outcome) {
      if (outcome.kind === 'released') onReleased(outcome);
      if (outcome.kind === 'changed') setRefusal(outcome);
    },
  });
  const { isSending, answer, error } = release;
  const watched = useWatchedLease(seen, refusal);
  const { lock, isUnreachable } = watched;
  const anchor = watched.anchor ?? seenAt;

  // While our own release is under way, what is polled may already show it: its answer tells.
  const change = isSending ? same : watched.change;
  const onDraft = (changed: Partial<ReleaseDraft>) =>
    setDraft((current) => ({ ...current, ...changed }));
  if (change.kind !== 'same' && draft.typed !== '') onDraft({ typed: '' });

  const confirmation = confirmationOf(seen.resource, seen.fencing_token);
  const reason = acceptableReason(draft.reason);
  const isFilledIn = reason !== null && isConfirmed(draft.typed, confirmation);
  const isReady = isFilledIn && !isSending && !watched.isChanging;

  function onSubmit() {
    if (!isReady) return;
    const nowMs = serverMsAt(anchor, performance.now());
    const holdSeconds = holdSecondsOf(draft.holdOff, lock, nowMs);
    release.send({ seen, reason, holdSeconds, onlyExpired: false });
  }

  const lateAtMs = lateReleaseMs(change, answer);
  const sent = { isReady, isSending, isUnreachable, outcome: answer, error };
  return { lock, anchor, change, lateAtMs, draft, confirmation, ...sent, onDraft, onSubmit };
}

const same: LeaseChange = { kind: 'same' };

/** The history tells by the request's id that it took place after all. */
function lateReleaseMs(change: LeaseChange, outcome: ReleaseOutcome | null): number | null {
  if (change.kind !== 'ended-by-person' || outcome === null || !isLost(outcome)) return null;
  return change.event.request_id === outcome.requestId ? Date.parse(change.event.at) : null;
}
