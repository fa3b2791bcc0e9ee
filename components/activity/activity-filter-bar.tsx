'use client';

import { useId, useState } from 'react';
import { useTranslations } from 'use-intl';

import { limits } from '@/lib/contract/limits';
import { activityViews, type ActivityFilters, type ActivityView } from '@/lib/queries/activity';

import { Button } from '../ui/button';
import { ChoiceButtons } from '../ui/choice-buttons';

interface ActivityFilterBarProps {
  readonly filters: ActivityFilters;
  readonly onFilters: (changed: Partial<ActivityFilters>) => void;
  readonly onClear: () => void;
}

const textFields = ['resource', 'actor', 'client'] as const;
type TextField = (typeof textFields)[number];

/** Which sort of events, and of which lock, person and client. */
export function ActivityFilterBar({ filters, onFilters, onClear }: ActivityFilterBarProps) {
  const t = useTranslations('activity');
  const isNarrowed = textFields.some((field) => filters[field] !== '');
  // What happens to keys and people has no lock.
  const offered = textFields.filter((field) => filters.view !== 'access' || field === 'actor');
  const setView = (view: ActivityView) =>
    onFilters(view === 'access' ? { view, resource: '', client: '' } : { view });
  return (
    <div className="flex flex-col gap-3">
      <ChoiceButtons
        label={t('viewLabel')}
        choices={activityViews}
        chosen={filters.view}
        onChoose={setView}
        textOf={(view) => t(`view.${view}`)}
      />
      <div className="flex flex-wrap items-end gap-2">
        {offered.map((field) => (
          <FilterText
            key={field}
            field={field}
            value={filters[field]}
            onValue={(value) => onFilters({ [field]: value })}
          />
        ))}
        {isNarrowed && (
          <Button kind="quiet" onClick={onClear}>
            {t('clear')}
          </Button>
        )}
      </div>
    </div>
  );
}

interface FilterTextProps {
  readonly field: TextField;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** Taken over by Enter, and when it is left. */
function FilterText({ field, value, onValue }: FilterTextProps) {
  const t = useTranslations('activity');
  const id = useId();
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  // The URL changed by itself, as by the browser's back button.
  if (known !== value) {
    setKnown(value);
    setText(value);
  }
  const commit = () => {
    if (text.trim() !== value) onValue(text.trim());
  };
  return (
    <form
      className="flex w-full flex-col gap-0.5 sm:w-56"
      onSubmit={(event) => {
        event.preventDefault();
        commit();
      }}
    >
      <label htmlFor={id} className="text-meta text-dim">
        {t(`field.${field}`)}
      </label>
      <input
        id={id}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={commit}
        placeholder={field === 'resource' ? 'report:*' : undefined}
        autoComplete="off"
        spellCheck={false}
        dir="auto"
        maxLength={limits.resourceBytesMax}
        className="h-8 min-w-0 rounded-control border border-control bg-surface px-2 font-mono"
      />
    </form>
  );
}
