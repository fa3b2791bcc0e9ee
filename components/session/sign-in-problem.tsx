'use client';

import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';

import type { ApiError } from '@/lib/queries/api-error';

import { ProblemNote } from '../ui/problem-note';

interface SignInProblemProps {
  readonly error: ApiError;
  readonly waitSeconds: number;
}

/** Why a sign-in was refused, and for how long there is no use in another try. */
export function SignInProblem({ error, waitSeconds }: SignInProblemProps) {
  const t = useTranslations('session');
  switch (error.code) {
    case 'unauthenticated':
      return <Note>{t('wrong')}</Note>;
    case 'too-many-requests':
      return (
        <Note>{waitSeconds > 0 ? t('tooMany', { seconds: waitSeconds }) : t('tooManyOver')}</Note>
      );
    default:
      return <ProblemNote what={t('notSignedIn')} error={error} />;
  }
}

function Note({ children }: { readonly children: string }) {
  return (
    <p role="alert" className="border-s-2 border-red ps-3">
      {children}
    </p>
  );
}

/** The seconds until another try is worth it, counted down. */
export function useWaitSeconds(error: ApiError | null): number {
  const [endsAtMs, setEndsAtMs] = useState(0);
  const [nowMs, setNowMs] = useState(0);
  useEffect(() => {
    const waitMs = error?.code === 'too-many-requests' ? (error.retryAfterMs ?? 0) : 0;
    const startMs = performance.now();
    const tick = () => setNowMs(performance.now());
    const timer = setInterval(tick, 1_000);
    setEndsAtMs(startMs + waitMs);
    setNowMs(startMs);
    return () => clearInterval(timer);
  }, [error]);
  return Math.max(0, Math.ceil((endsAtMs - nowMs) / 1_000));
}
