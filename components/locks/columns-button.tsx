'use client';

import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { densities, extraColumns } from '../shell/preferences';
import { usePreferences } from '../shell/preferences-context';
import { Button } from '../ui/button';
import { Popover } from '../ui/popover';

/** Which columns the list has beyond its own, and how high its rows are; there is no head to choose for on a small screen. */
export function ColumnsButton() {
  const t = useTranslations('columns');
  const [isOpen, setOpen] = useState(false);
  const buttonRef = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Button
        ref={buttonRef}
        kind="quiet"
        className="max-md:hidden"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        {t('button')}
      </Button>
      {isOpen && (
        <Popover title={t('title')} anchor={buttonRef} onClose={() => setOpen(false)}>
          <Choices />
          <div className="flex justify-end">
            <Button onClick={() => setOpen(false)}>{t('close')}</Button>
          </div>
        </Popover>
      )}
    </>
  );
}

function Choices() {
  const t = useTranslations('columns');
  const { columns, setColumns, density, setDensity } = usePreferences();
  return (
    <>
      <fieldset className="flex flex-col">
        <legend className="pb-1 text-dim">{t('show')}</legend>
        {extraColumns.map((column) => (
          <label key={column} className="flex min-h-8 items-center gap-2">
            <input
              type="checkbox"
              checked={columns.includes(column)}
              onChange={({ target }) =>
                setColumns(
                  extraColumns.filter((known) =>
                    known === column ? target.checked : columns.includes(known),
                  ),
                )
              }
              className="size-4 accent-blue"
            />
            {t(`column.${column}`)}
          </label>
        ))}
      </fieldset>
      <fieldset className="flex flex-wrap items-center gap-4">
        <legend className="pb-1 text-dim">{t('density')}</legend>
        {densities.map((known) => (
          <label key={known} className="flex min-h-6 items-center gap-2">
            <input
              type="radio"
              name="density"
              checked={known === density}
              onChange={() => setDensity(known)}
              className="size-4 accent-blue"
            />
            {t(known)}
          </label>
        ))}
      </fieldset>
      <p className="text-cell text-dim">{t('note')}</p>
    </>
  );
}
