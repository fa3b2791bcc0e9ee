'use client';

import { useTranslations } from 'use-intl';

import type { LockFilters } from '@/lib/queries/list-locks';

import { Button } from '../ui/button';
import { CopyButton } from '../ui/copy-button';
import { FiltersInWords } from './filters-in-words';
import { isNarrowed, noFilters } from './use-filters';

interface EmptyListProps {
  readonly filters: LockFilters;
  readonly onFilters: (changed: Partial<LockFilters>) => void;
}

/** Nothing to list: either nothing matches, or there is no lock at all yet, and then how to make one. */
export function EmptyList({ filters, onFilters }: EmptyListProps) {
  const t = useTranslations('empty');
  const isOfAll = filters.tab === 'all' && !isNarrowed(filters);
  if (isOfAll) return <FirstLock />;
  return (
    <div className="flex flex-wrap items-center gap-3 py-6">
      <p role="status" className="break-words">
        {t(filters.tab)}
        <FiltersInWords filters={filters} />
        {t('stop')}
      </p>
      <Button onClick={() => onFilters({ ...noFilters, tab: 'all' })}>{t('clearFilters')}</Button>
    </div>
  );
}

function FirstLock() {
  const t = useTranslations('empty');
  const command = `curl -X POST ${window.location.origin}/api/locks/hello \\\n  -H 'authorization: Bearer YOUR_KEY' \\\n  -H 'content-type: application/json' \\\n  -d '{"owner": "me", "ttl_seconds": 60}'`;
  return (
    <div className="flex max-w-2xl flex-col gap-3 py-6">
      <p role="status">{t('first')}</p>
      <div className="flex items-start gap-2 rounded-control border border-hair bg-surface p-3">
        {/* Focusable, for it scrolls sideways where there is no room. */}
        <pre tabIndex={0} className="min-w-0 flex-1 overflow-x-auto font-mono text-cell">
          {command}
        </pre>
        <CopyButton text={command} label={t('copyCommand')} />
      </div>
    </div>
  );
}
