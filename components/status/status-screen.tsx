'use client';

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import { statusOptions, type StatusSighting } from '@/lib/queries/status';

import { ReadPage } from '../shell/read-page';
import { CopyButton } from '../ui/copy-button';
import { Fact } from '../ui/fact';
import { usePaused } from '../ui/use-paused';
import { useFineDuration } from '../ui/use-times';

/** What the service is, what its locks are in, and what weakens its promises as it is now. */
export function StatusScreen() {
  const isPaused = usePaused();
  const sighting = useQuery(statusOptions({ isPaused }));
  return (
    <ReadPage words="status" sighting={sighting} action={null}>
      {(status) => (
        <div className="grid gap-x-8 gap-y-5 px-3 pt-1 pb-4 sm:px-5 lg:grid-cols-2">
          <Warnings status={status} />
          <Service status={status} />
          <Promises status={status} />
        </div>
      )}
    </ReadPage>
  );
}

interface PartProps {
  readonly status: StatusSighting;
}

function Warnings({ status }: PartProps) {
  const t = useTranslations('status');
  const warnings = [...new Set([...status.store.warnings, ...status.database.warnings])];
  return (
    <div className="lg:col-span-2">
      <Part title={t('warnings')}>
        {warnings.length === 0 ? (
          <p className="py-1.5 text-cell">{t('noWarnings')}</p>
        ) : (
          <ul className="text-cell">
            {warnings.map((warning) => (
              <li key={warning} className="border-b border-hair py-1.5 break-words text-amber">
                <span aria-hidden="true">◇ </span>
                <span lang="en">{warning}</span>
              </li>
            ))}
          </ul>
        )}
      </Part>
    </div>
  );
}

function Service({ status }: PartProps) {
  const t = useTranslations('status');
  const duration = useFineDuration();
  const { version, store, database, latency_ms: latencyMs, offsetMs, offsetWithinMs } = status;
  const apart = { duration: duration(Math.abs(offsetMs)), within: duration(offsetWithinMs) };
  const isTogether = Math.abs(offsetMs) <= Math.max(1_000, offsetWithinMs);
  return (
    <Part
      title={t('service')}
      action={
        <CopyButton
          text={JSON.stringify(
            { version, latency_ms: latencyMs, store, database, offsetMs },
            null,
            2,
          )}
          label={t('copy')}
        />
      }
    >
      <dl className="text-cell">
        <Fact term={t('version')}>{version}</Fact>
        <Fact term={t('store')}>{store.version}</Fact>
        <Fact term={t('database')}>{database.version}</Fact>
        <Fact term={t('latency')}>
          {latencyMs === null ? (
            <span className="text-amber">{t('noAnswer')}</span>
          ) : (
            t('latencyOf', { ms: latencyMs })
          )}
        </Fact>
        <Fact term={t('clock')}>
          <span className={`break-normal ${isTogether ? '' : 'text-amber'}`}>
            {t(isTogether ? 'together' : offsetMs > 0 ? 'ahead' : 'behind', apart)}
          </span>
        </Fact>
      </dl>
    </Part>
  );
}

const promises = ['grants', 'crash', 'failover', 'tokens'] as const;

/** What a lock here means, by what the locks are in. */
function Promises({ status: { store } }: PartProps) {
  const t = useTranslations('status');
  return (
    <Part title={t('promises')}>
      <dl className="text-cell">
        {promises.map((promise) => (
          <div key={promise} className="border-b border-hair py-1.5">
            <dt className="text-dim">{t(`promise.${promise}`)}</dt>
            <dd>{t(`${store.kind}.${promise}`)}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

interface PartTitleProps {
  readonly title: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

function Part({ title, action, children }: PartTitleProps) {
  return (
    <section aria-label={title}>
      <div className="flex h-8 items-center justify-between border-b border-hair">
        <h2 className="font-strong">{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}
