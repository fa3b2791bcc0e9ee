'use client';

import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';

import { Fact } from '../ui/fact';
import { useServerMs } from '../ui/server-clock';
import { UserText } from '../ui/user-text';
import { useDuration, useTimes } from '../ui/use-times';
import { LockMetadata } from './lock-metadata';

/** Everything that the lock row says, in the order in which an operator asks. */
export function LockFacts({ lock }: { readonly lock: LockOnWire }) {
  const t = useTranslations('facts');
  const duration = useDuration();
  return (
    <div className="grid gap-x-8 gap-y-4 lg:grid-cols-2">
      <section aria-label={t('holder')}>
        <h2 className="border-b border-hair pb-1 font-strong">{t('holder')}</h2>
        <dl className="text-cell">
          <Fact term={t('owner')} copy={lock.owner} copyLabel={t('copyOwner')}>
            <UserText>{lock.owner}</UserText>
          </Fact>
          <Fact term={t('client')}>
            {lock.client === null ? (
              <span className="text-dim">{t('noClient')}</span>
            ) : (
              <UserText>{lock.client}</UserText>
            )}
          </Fact>
          <Fact term={t('fenceTerm')} copy={String(lock.fencing_token)} copyLabel={t('copyFence')}>
            <span className="font-mono">{lock.fencing_token}</span>
          </Fact>
          <TimeFact term={t('acquired')} at={lock.acquired_at} />
          <TimeFact term={t('expires')} at={lock.expires_at} />
          <Fact term={t('ttl')}>
            {t('ttlRenewed', { ttl: duration(lock.ttl_ms), n: lock.renew_count })}
            {lock.renew_every_ms !== null &&
              t('renewedEvery', { every: duration(lock.renew_every_ms) })}
          </Fact>
          {lock.renewed_at !== null && <TimeFact term={t('renewed')} at={lock.renewed_at} />}
        </dl>
      </section>
      <LockMetadata lock={lock} />
    </div>
  );
}

function TimeFact({ term, at }: { readonly term: string; readonly at: string }) {
  const t = useTranslations('facts');
  const times = useTimes();
  const duration = useDuration();
  const nowMs = useServerMs();
  const ms = Date.parse(at);
  const apartMs = nowMs === null ? 0 : nowMs - ms;
  const words = { time: times.moment(ms, nowMs), zone: times.zoneLabel };
  return (
    <Fact term={term}>
      <time dateTime={at} title={times.full(ms)}>
        {apartMs >= 0
          ? t('acquiredAt', { ...words, ago: duration(apartMs) })
          : t('inTime', { ...words, in: duration(-apartMs) })}
      </time>
    </Fact>
  );
}
