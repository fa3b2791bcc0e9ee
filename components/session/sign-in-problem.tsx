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
  if (error.code === 'unauthenticated') return <Note>{t('wrong')}</Note>;
  if (error.code === 'too-many-requests') {
    return (
      <Note>{waitSeconds > 0 ? t('tooMany', { seconds: waitSeconds }) : t('tooManyOver')}</Note>
    );
  }
  return <ProblemNote what={t('notSignedIn')} error={error} />;
}

function Note({ children }: { readonly children: string }) {
  return (
    <p role="alert" className="border-s-2 border-red ps-3">
      {children}
    </p>
  );
}

/** The seconds until another try is worth it, counted down; the wait begins when the refusal is first drawn. */
export function useWaitSeconds(error: ApiError | null): number {
  const waitMs = error?.code === 'too-many-requests' ? (error.retryAfterMs ?? 0) : 0;
  const [passed, setPassed] = useState<{ of: ApiError | null; ms: number }>({ of: null, ms: 0 });
  useEffect(() => {
    if (waitMs === 0) return;
    const startMs = performance.now();
    const tick = () => setPassed({ of: error, ms: performance.now() - startMs });
    const timer = setInterval(tick, 1_000);
    return () => clearInterval(timer);
  }, [error, waitMs]);
  const passedMs = passed.of === error ? passed.ms : 0;
  return Math.max(0, Math.ceil((waitMs - passedMs) / 1_000));
}
