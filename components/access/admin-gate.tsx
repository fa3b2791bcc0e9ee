'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import type { MeOnWire } from '@/lib/contract/access-answers';
import { meQuery } from '@/lib/queries/me';

import { AppBar } from '../shell/app-bar';
import { livenessOf } from '../shell/live-status';
import { buttonClass } from '../ui/button';
import { LoadingRows } from '../ui/loading-rows';
import { ProblemNote } from '../ui/problem-note';
import { useStickyError } from '../ui/use-sticky-error';
import { UserText } from '../ui/user-text';

export type Person = Extract<MeOnWire, { readonly kind: 'person' }>;

interface AdminGateProps {
  readonly title: string;
  readonly children: (admin: Person) => ReactNode;
}

/** The role may be taken while the page is open; the server refuses at once, and the page says why soon after. */
const askAgainMs = 10_000;

/** A page for admins; for everybody else it says so. It only explains: the API decides. */
export function AdminGate({ title, children }: AdminGateProps) {
  const t = useTranslations('needsAdmin');
  const me = useQuery({ ...meQuery, refetchInterval: askAgainMs });
  const error = useStickyError(me);
  const { data } = me;
  if (data?.kind === 'person' && data.role === 'admin') return children(data);
  const asOfMs = data === undefined ? null : me.dataUpdatedAt;
  return (
    <>
      <AppBar liveness={livenessOf({ asOfMs, isFailing: error !== null, isPaused: false })} />
      <main id="main" tabIndex={-1} className="flex flex-col gap-4 py-4 outline-none">
        <h1 className="px-3 text-name font-strong sm:px-5">{title}</h1>
        {data === undefined && error === null && <LoadingRows label={t('loading')} />}
        {error !== null && (
          <div className="px-3 sm:px-5">
            <ProblemNote what={t('notRead')} error={error} onRetry={() => void me.refetch()} />
          </div>
        )}
        {data !== undefined && <NeedsAdmin me={data} />}
      </main>
    </>
  );
}

function NeedsAdmin({ me }: { readonly me: MeOnWire }) {
  const t = useTranslations('needsAdmin');
  const tRole = useTranslations('roles');
  return (
    <div className="flex max-w-2xl flex-col items-start gap-3 px-3 sm:px-5">
      <h2 className="text-title font-strong">{t('title')}</h2>
      {me.kind === 'person' && (
        <p className="break-words">
          {t.rich('youAre', {
            email: () => <UserText key="email">{me.email}</UserText>,
            role: tRole(`name.${me.role}`),
          })}
        </p>
      )}
      <p>{t('text')}</p>
      {me.kind === 'person' && me.admins.length > 0 && (
        <div>
          <h3 className="font-strong">{t('admins')}</h3>
          <ul className="break-words">
            {me.admins.map((email) => (
              <li key={email}>
                <UserText>{email}</UserText>
              </li>
            ))}
          </ul>
        </div>
      )}
      <Link href="/locks" className={buttonClass()}>
        {t('toLocks')}
      </Link>
    </div>
  );
}
