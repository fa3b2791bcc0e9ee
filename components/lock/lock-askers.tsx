'use client';

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';

import type { AskerOnWire } from '@/lib/contract/answers';
import { askersOptions } from '@/lib/queries/contention';

import { StateGlyph } from '../lease/state-glyph';
import { ProblemNote } from '../ui/problem-note';
import { useServerMs } from '../ui/server-clock';
import { usePaused } from '../ui/use-paused';
import { useStickyError } from '../ui/use-sticky-error';
import { UserText } from '../ui/user-text';
import { useDuration } from '../ui/use-times';

interface LockAskersProps {
  readonly resource: string;
  /** All who ask, of whom only the first are listed. */
  readonly ownersTotal: number;
}

/** Who was denied the lock in the last minute, and since when: what stands in the place of a queue. */
export function LockAskers({ resource, ownersTotal }: LockAskersProps) {
  const t = useTranslations('asking');
  const isPaused = usePaused();
  const sighting = useQuery(askersOptions(resource, { isPaused }));
  const error = useStickyError(sighting);
  const askers = sighting.data?.askers ?? [];
  const more = ownersTotal - askers.length;
  return (
    <section aria-labelledby="asking-title" data-section="asking">
      <h2
        id="asking-title"
        className={`flex items-center gap-1.5 border-b border-hair pb-1 font-strong ${askers.length > 0 ? 'text-violet' : ''}`}
      >
        {askers.length > 0 && <StateGlyph name="asked" />}
        {t('title', { owners: Math.max(ownersTotal, askers.length) })}
      </h2>
      {error !== null && (
        <div className="py-2">
          <ProblemNote what={t('notRead')} error={error} onRetry={() => void sighting.refetch()} />
        </div>
      )}
      {sighting.data !== undefined && askers.length === 0 && (
        <p className="py-1.5 text-cell text-dim">{t('none')}</p>
      )}
      {askers.length > 0 && <AskersTable askers={askers} />}
      {askers.length > 0 && more > 0 && (
        <p className="py-1.5 text-cell text-dim">{t('more', { n: more })}</p>
      )}
    </section>
  );
}

const cellClass = 'border-b border-hair py-1 pe-3 align-top';

function AskersTable({ askers }: { readonly askers: readonly AskerOnWire[] }) {
  const t = useTranslations('asking');
  const duration = useDuration();
  const nowMs = useServerMs();
  const since = (at: string) =>
    nowMs === null ? '' : duration(Math.max(0, nowMs - Date.parse(at)));
  return (
    <table className="w-full text-cell">
      <thead>
        <tr className="text-meta text-dim">
          <th scope="col" className={`${cellClass} text-start font-normal`}>
            {t('owner')}
          </th>
          <th scope="col" className={`${cellClass} text-start font-normal`}>
            {t('client')}
          </th>
          <th scope="col" className={`${cellClass} text-end font-normal`}>
            {t('attempts')}
          </th>
          <th scope="col" className={`${cellClass} pe-0 text-end font-normal`}>
            {t('for')}
          </th>
        </tr>
      </thead>
      <tbody>
        {askers.map(({ owner, client, attempts, first_at, last_at }) => (
          <tr key={JSON.stringify([owner, client])} data-asker={owner}>
            <td className={cellClass}>
              <UserText>{owner}</UserText>
            </td>
            <td className={cellClass}>
              {client === null ? (
                <span className="text-dim">{t('noClient')}</span>
              ) : (
                <UserText>{client}</UserText>
              )}
            </td>
            <td className={`${cellClass} text-end`}>{attempts}</td>
            <td
              className={`${cellClass} pe-0 text-end whitespace-nowrap`}
              title={t('lastAsked', { ago: since(last_at) })}
            >
              {since(first_at)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
