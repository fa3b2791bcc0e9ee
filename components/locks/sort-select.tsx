'use client';

import { useTranslations } from 'use-intl';

import { listSortFields, parseSort, sortDefault } from '@/lib/contract/list-query';
import type { LockSort } from '@/lib/queries/list-locks';

interface SortSelectProps {
  readonly sort: LockSort;
  readonly onSort: (sort: LockSort) => void;
}

/** On narrow screens, where the table has no head to press. */
export function SortSelect({ sort, onSort }: SortSelectProps) {
  const t = useTranslations('sort');
  const { field, isDescending } = parseSort(sort);
  return (
    <span className="flex items-center gap-1 md:hidden">
      <select
        aria-label={t('label')}
        value={field}
        onChange={({ target }) =>
          onSort(listSortFields.find((known) => known === target.value) ?? sortDefault)
        }
        className="h-8 rounded-control border border-control bg-surface px-2"
      >
        {listSortFields.map((known) => (
          <option key={known} value={known}>
            {t(known)}
          </option>
        ))}
      </select>
      <button
        type="button"
        aria-label={isDescending ? t('descending') : t('ascending')}
        onClick={() => onSort(isDescending ? field : `-${field}`)}
        className="size-8 rounded-control border border-control bg-surface"
      >
        {isDescending ? '↓' : '↑'}
      </button>
    </span>
  );
}
