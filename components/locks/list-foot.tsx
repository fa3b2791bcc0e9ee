'use client';

import { useTranslations } from 'use-intl';

import { limits } from '@/lib/contract/limits';
import { parseSort } from '@/lib/contract/list-query';
import type { LockSort } from '@/lib/queries/list-locks';

import { Button } from '../ui/button';
import { useCount } from './use-count';
import type { LocksList } from './use-locks-list';

interface ListFootProps {
  readonly list: LocksList;
  readonly shownCount: number;
  /** Null when there are more than the server counts. */
  readonly total: number | null;
  readonly sort: LockSort;
  readonly onHelp: () => void;
}

export function ListFoot({ list, shownCount, total, sort, onHelp }: ListFootProps) {
  const t = useTranslations('list');
  const tSort = useTranslations('sort');
  const count = useCount(true);
  const totalText = total === null ? count(limits.countMax) : count(Math.max(total, shownCount));
  const { field, isDescending } = parseSort(sort);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-3 text-cell text-dim sm:px-5">
      <p>
        {t('loaded', { shown: useCountText(shownCount), total: totalText })} ·{' '}
        {t('sortedBy', {
          field: tSort(field),
          order: isDescending ? tSort('descending') : tSort('ascending'),
        })}
      </p>
      {list.hasMore && (
        <Button size="small" onClick={list.loadMore} aria-disabled={list.isLoadingMore}>
          {list.isLoadingMore ? t('loadingMore') : t('loadMore')}
        </Button>
      )}
      <Button size="small" kind="quiet" className="ms-auto max-sm:hidden" onClick={onHelp}>
        {t('keys')}
      </Button>
    </div>
  );
}

function useCountText(count: number): string {
  return useCount(false)(count);
}
