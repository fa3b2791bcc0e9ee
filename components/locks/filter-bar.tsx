'use client';

import { X } from 'lucide-react';
import { useRef, useState, type ReactNode, type RefObject } from 'react';
import { useTranslations } from 'use-intl';

import type { LockFilters } from '@/lib/queries/list-locks';

import { Button } from '../ui/button';
import { CutText } from '../ui/cut-text';
import { AddFilterPopover } from './add-filter-popover';
import { SearchField } from './search-field';
import { SortSelect } from './sort-select';
import { isNarrowed, noFilters } from './use-filters';

interface FilterBarProps {
  readonly filters: LockFilters;
  readonly onFilters: (changed: Partial<LockFilters>, history?: 'push' | 'replace') => void;
  readonly searchRef: RefObject<HTMLInputElement | null>;
  readonly children?: ReactNode;
}

export const filterFields = ['prefix', 'owner', 'ownerPrefix', 'client', 'fence'] as const;
export type FilterField = (typeof filterFields)[number];

export function FilterBar({ filters, onFilters, searchRef, children }: FilterBarProps) {
  const t = useTranslations('filters');
  const addRef = useRef<HTMLButtonElement>(null);
  const [isAdding, setAdding] = useState(false);
  const applied = filterFields.flatMap((field) => {
    const value = filters[field];
    return value === '' || value === null ? [] : [{ field, value: String(value) }];
  });
  return (
    <div className="flex flex-wrap items-center gap-2 py-3">
      <SearchField ref={searchRef} q={filters.q} onQ={(q) => onFilters({ q }, 'replace')} />
      {applied.map(({ field, value }) => (
        <span
          key={field}
          className="inline-flex h-8 max-w-72 items-center gap-1.5 rounded-control border border-control bg-surface ps-2.5 pe-1"
        >
          <span className="shrink-0 text-dim">{t(field)}</span>
          <CutText text={value} />
          <button
            type="button"
            aria-label={t('remove', { field: t(field) })}
            onClick={() => {
              onFilters({ [field]: field === 'fence' ? null : '' });
              // This button goes with its filter.
              addRef.current?.focus();
            }}
            className="inline-flex size-6 shrink-0 items-center justify-center rounded-control text-dim hover:bg-hair/60 hover:text-ink"
          >
            <X aria-hidden="true" size={14} />
          </button>
        </span>
      ))}
      <Button ref={addRef} onClick={() => setAdding(true)} aria-haspopup="dialog">
        <span aria-hidden="true">+</span> {t('add')}
      </Button>
      {isNarrowed(filters) && (
        <Button kind="quiet" onClick={() => onFilters(noFilters)}>
          {t('clear')}
        </Button>
      )}
      <SortSelect sort={filters.sort} onSort={(sort) => onFilters({ sort })} />
      <div className="ms-auto flex flex-wrap items-center gap-2">{children}</div>
      {isAdding && (
        <AddFilterPopover
          anchorRef={addRef}
          onClose={() => setAdding(false)}
          onAdd={(changed) => {
            setAdding(false);
            onFilters(changed);
          }}
        />
      )}
    </div>
  );
}
