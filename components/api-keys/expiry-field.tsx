'use client';

import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import { expiryChoices, type Expiry, type ExpiryDraft } from '@/lib/queries/key-expiry';

import { FormField, inputClass } from '../ui/form-field';
import { useTimes } from '../ui/use-times';

interface ExpiryFieldProps {
  readonly draft: ExpiryDraft;
  readonly expiry: Expiry;
  /** Of the key that is replaced: its own end is then among the choices. */
  readonly same?: string | null;
  readonly isLeft: boolean;
  readonly refused: ReactNode;
  readonly onDraft: (draft: ExpiryDraft) => void;
  readonly onLeave: () => void;
}

export function ExpiryField(props: ExpiryFieldProps) {
  const { draft, expiry, same, isLeft, refused, onDraft, onLeave } = props;
  const t = useTranslations('expiry');
  const times = useTimes();
  const choices = same === undefined ? expiryChoices : (['same', ...expiryChoices] as const);
  const sameText = typeof same === 'string' ? times.day(Date.parse(same)) : t('never');
  const isWrong = expiry.kind === 'past' || (isLeft && expiry.kind === 'noDate');
  const isNoDate = expiry.kind === 'noDate';
  return (
    <FormField
      label={t('label')}
      hint={
        expiry.kind === 'at'
          ? t('stopsAt', {
              time: `${times.day(expiry.atMs)} ${times.clock(expiry.atMs)}`,
              zone: times.zoneLabel,
            })
          : t('hint')
      }
      error={refused ?? (isWrong ? t(isNoDate ? 'noDate' : 'past') : null)}
    >
      {(control) => (
        <div className="flex flex-wrap gap-2">
          <select
            {...control}
            name="expires_at"
            value={draft.choice}
            onChange={({ target }) => {
              const choice = choices.find((known) => known === target.value) ?? 'never';
              onDraft({ ...draft, choice });
            }}
            className={`${inputClass} max-w-72`}
          >
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {t(`choice.${choice}`, { time: sameText })}
              </option>
            ))}
          </select>
          {draft.choice === 'date' && (
            <input
              type="date"
              value={draft.date}
              max="9999-12-30"
              aria-label={t('date')}
              aria-invalid={isWrong}
              onChange={({ target }) => onDraft({ ...draft, date: target.value })}
              onBlur={onLeave}
              className={`${inputClass} max-w-44`}
            />
          )}
        </div>
      )}
    </FormField>
  );
}
