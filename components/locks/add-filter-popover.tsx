'use client';

import { useId, useRef, useState, type RefObject } from 'react';
import { useTranslations } from 'use-intl';

import { limits } from '@/lib/contract/limits';
import type { LockFilters } from '@/lib/queries/list-locks';

import { Button } from '../ui/button';
import { Popover } from '../ui/popover';
import { filterFields, type FilterField } from './filter-bar';

interface AddFilterPopoverProps {
  readonly anchorRef: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
  readonly onAdd: (changed: Partial<LockFilters>) => void;
}

export function AddFilterPopover({ anchorRef, onClose, onAdd }: AddFilterPopoverProps) {
  const t = useTranslations('filters');
  const id = useId();
  const valueRef = useRef<HTMLInputElement>(null);
  const [field, setField] = useState<FilterField>('prefix');
  const [value, setValue] = useState('');
  const changed = parseFilter(field, value);
  return (
    <Popover title={t('title')} anchor={anchorRef} onClose={onClose} initialFocus={valueRef}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (changed !== null) onAdd(changed);
        }}
      >
        <div className="grid grid-cols-[auto_1fr] items-center gap-2">
          <label htmlFor={`${id}-field`}>{t('field')}</label>
          <select
            id={`${id}-field`}
            value={field}
            onChange={({ target }) =>
              setField(filterFields.find((known) => known === target.value) ?? 'prefix')
            }
            className="h-8 rounded-control border border-control bg-surface px-2"
          >
            {filterFields.map((known) => (
              <option key={known} value={known}>
                {t(known)}
              </option>
            ))}
          </select>
          <label htmlFor={`${id}-value`}>{t('value')}</label>
          <input
            ref={valueRef}
            id={`${id}-value`}
            value={value}
            onChange={(event) => setValue(event.target.value)}
            inputMode={field === 'fence' ? 'numeric' : 'text'}
            autoComplete="off"
            spellCheck={false}
            dir="auto"
            maxLength={limits.resourceBytesMax}
            className="h-8 min-w-0 rounded-control border border-control bg-surface px-2 font-mono"
          />
        </div>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" aria-disabled={changed === null}>
            {t('apply')}
          </Button>
        </div>
      </form>
    </Popover>
  );
}

function parseFilter(field: FilterField, value: string): Partial<LockFilters> | null {
  const text = value.trim();
  if (text === '') return null;
  if (field !== 'fence') return { [field]: text };
  const fence = Number(text);
  return Number.isSafeInteger(fence) && fence > 0 ? { fence } : null;
}
