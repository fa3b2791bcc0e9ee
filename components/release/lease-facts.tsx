'use client';

import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';

import { FullName } from '../ui/full-name';
import { useServerMs } from '../ui/server-clock';
import { UserText } from '../ui/user-text';
import { useDuration, useTimes } from '../ui/use-times';
import { TimeLeft } from '../lease/time-left';

/** The head of a dialog: which lock, who holds it, since when and for how long. */
export function LeaseFacts({ lock }: { readonly lock: LockOnWire }) {
  const t = useTranslations('facts');
  const times = useTimes();
  const duration = useDuration();
  const nowMs = useServerMs();
  const ago = (at: string) => (nowMs === null ? '' : duration(nowMs - Date.parse(at)));
  const host = lock.metadata?.['host'];
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-title">
        <FullName resource={lock.resource} />
      </p>
      <dl className="flex flex-col gap-0.5 text-cell">
        <Fact term={t('heldBy')}>
          <span className="font-strong">
            <UserText>{lock.owner}</UserText>
          </span>
          {host !== undefined &&
            t.rich('onHost', { host: () => <UserText key="host">{host}</UserText> })}
          <Aside>
            {lock.client !== null &&
              t.rich('key', {
                client: () => <UserText key="client">{lock.client ?? ''}</UserText>,
              })}
          </Aside>
        </Fact>
        <Fact term={t('acquired')}>
          {t('acquiredAt', {
            time: times.moment(Date.parse(lock.acquired_at), nowMs),
            zone: times.zoneLabel,
            ago: ago(lock.acquired_at),
          })}
          <Aside>
            {lock.renewed_at !== null && t('renewedAgo', { ago: ago(lock.renewed_at) })}
          </Aside>
        </Fact>
        <Fact term={t('lease')}>
          {t.rich('leftOf', {
            left: () => <TimeLeft key="left" lock={lock} />,
            ttl: duration(lock.ttl_ms),
          })}
          <Aside>{t('fence', { fence: String(lock.fencing_token) })}</Aside>
          <Asking owners={lock.contention?.owners ?? 0} />
        </Fact>
      </dl>
    </div>
  );
}

function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div className="flex gap-2">
      <dt className="w-20 shrink-0 text-dim">{term}</dt>
      <dd className="flex min-w-0 flex-1 flex-wrap gap-x-1.5 break-all">{children}</dd>
    </div>
  );
}

function Aside({ children }: { readonly children: ReactNode }) {
  if (children === false || children === null) return null;
  return <span className="ms-4 text-dim">{children}</span>;
}

function Asking({ owners }: { readonly owners: number }) {
  const t = useTranslations('row');
  if (owners === 0) return null;
  return <span className="ms-4 text-violet">{t('asking', { owners })}</span>;
}
