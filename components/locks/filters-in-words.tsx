'use client';

import { Fragment } from 'react';
import { useTranslations } from 'use-intl';

import type { LockFilters } from '@/lib/queries/list-locks';

import { UserText } from '../ui/user-text';
import { filterFields } from './filter-bar';

/** " with owner worker-7, prefix orders/": what the list is narrowed by, within a sentence. */
export function FiltersInWords({ filters }: { readonly filters: LockFilters }) {
  const t = useTranslations('filters');
  const applied = (['q', ...filterFields] as const).flatMap((field) => {
    const value = filters[field];
    return value === '' || value === null ? [] : [{ field, value: String(value) }];
  });
  if (applied.length === 0) return null;
  return t.rich('with', {
    list: () =>
      applied.map(({ field, value }, index) => (
        <Fragment key={field}>
          {index > 0 && t('and')}
          {t(field)} <UserText>{value}</UserText>
        </Fragment>
      )),
  });
}
