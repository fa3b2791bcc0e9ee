'use client';

import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslations } from 'use-intl';

import { membersOptions } from '@/lib/queries/members';

import { AdminGate, type Person } from '../access/admin-gate';
import { AppBar } from '../shell/app-bar';
import { livenessOf } from '../shell/live-status';
import { Button } from '../ui/button';
import { LoadingRows } from '../ui/loading-rows';
import { ProblemNote } from '../ui/problem-note';
import { ServerClock } from '../ui/server-clock';
import { usePaused } from '../ui/use-paused';
import { useStickyError } from '../ui/use-sticky-error';
import { useTimes } from '../ui/use-times';
import { MembersTable } from './members-table';
import { useMemberDialogs } from './use-member-dialogs';

/** The people who may sign in, and what each of them may do. */
export function MembersScreen() {
  const t = useTranslations('members');
  return <AdminGate title={t('title')}>{(admin) => <Members me={admin} />}</AdminGate>;
}

function Members({ me }: { readonly me: Person }) {
  const t = useTranslations('members');
  const times = useTimes();
  const isPaused = usePaused();
  const list = useQuery(membersOptions({ isPaused }));
  const error = useStickyError(list);
  const inviteRef = useRef<HTMLButtonElement>(null);
  const sighting = list.data ?? null;
  const members = sighting?.members ?? [];
  const nowMs = sighting?.anchor.serverMs ?? null;
  const questions = useMemberDialogs({ members, me, inviteRef });
  const liveness = livenessOf({ asOfMs: nowMs, isFailing: error !== null, isPaused });
  return (
    <ServerClock anchor={sighting?.anchor ?? null} isFrozen={liveness.kind !== 'live'}>
      <AppBar liveness={liveness} />
      <main id="main" tabIndex={-1} className="flex flex-col gap-4 pt-4 outline-none">
        <div className="flex flex-wrap items-start justify-between gap-3 px-3 sm:px-5">
          <div className="flex max-w-3xl flex-col gap-0.5">
            <h1 className="text-name font-strong">{t('title')}</h1>
            <p className="text-dim">{t('text')}</p>
          </div>
          <Button
            ref={inviteRef}
            kind="primary"
            aria-haspopup="dialog"
            disabled={sighting === null}
            onClick={questions.invite}
          >
            {t('invite')}
          </Button>
        </div>
        {error !== null && (
          <div className="px-3 sm:px-5">
            <ProblemNote
              what={nowMs === null ? t('notRead') : t('notReadSince', { time: times.clock(nowMs) })}
              error={error}
              onRetry={() => void list.refetch()}
            />
          </div>
        )}
        {sighting === null && error === null && <LoadingRows label={t('loading')} />}
        {members.length > 0 && <MembersTable members={members} me={me} questions={questions} />}
        {/* Whoever reads this is a member, so an empty list is one of a single row. */}
        {members.length === 1 && (
          <p role="status" className="px-3 sm:px-5">
            {t('onlyYou')}
          </p>
        )}
      </main>
      {questions.dialogs}
    </ServerClock>
  );
}
