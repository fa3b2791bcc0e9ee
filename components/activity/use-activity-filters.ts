'use client';

import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';

import { activityViews, type ActivityFilters } from '@/lib/queries/activity';

const parsers = {
  view: parseAsStringLiteral(activityViews).withDefault('operator'),
  resource: parseAsString.withDefault(''),
  actor: parseAsString.withDefault(''),
  client: parseAsString.withDefault(''),
};

/** The filters live in the URL, as those of the locks do. */
export function useActivityFilters() {
  const [filters, setStates] = useQueryStates(parsers, {
    urlKeys: { view: 'kind' },
    clearOnDefault: true,
  });
  return {
    filters: filters satisfies ActivityFilters,
    setFilters: (changed: Partial<ActivityFilters>) => void setStates(changed, { history: 'push' }),
    clear: () => void setStates({ resource: '', actor: '', client: '' }, { history: 'push' }),
  };
}
