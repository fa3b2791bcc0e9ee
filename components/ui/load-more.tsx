'use client';

import { useTranslations } from 'use-intl';

import { Button } from './button';

interface LoadMoreProps {
  /** What an infinite query knows of its next page. */
  readonly pages: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
}

/** Below what is read page by page; nothing when all is there. */
export function LoadMore({ pages }: LoadMoreProps) {
  const t = useTranslations('history');
  if (!pages.hasNextPage) return null;
  return (
    <div className="px-3 py-3 sm:px-5">
      <Button
        size="small"
        onClick={() => void pages.fetchNextPage()}
        aria-disabled={pages.isFetchingNextPage}
      >
        {pages.isFetchingNextPage ? t('loadingMore') : t('loadMore')}
      </Button>
    </div>
  );
}
