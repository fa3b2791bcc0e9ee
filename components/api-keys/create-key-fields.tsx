'use client';

import { useId, type ReactNode, type RefObject } from 'react';
import { useTranslations } from 'use-intl';

import type { KeyOnWire } from '@/lib/contract/access-answers';

import { FormField, inputClass } from '../ui/form-field';
import { ExpiryField } from './expiry-field';
import { PatternsField } from './patterns-field';
import { ScopesField } from './scopes-field';
import type { KeyDraft, KeyField } from './use-key-draft';

interface CreateKeyFieldsProps {
  readonly draft: KeyDraft;
  readonly keys: readonly KeyOnWire[];
  readonly nameRef: RefObject<HTMLInputElement | null>;
}

export function CreateKeyFields({ draft: form, keys, nameRef }: CreateKeyFieldsProps) {
  const t = useTranslations('newKey');
  const { draft, problems, change, leave } = form;
  const refused = (field: KeyField) => refusedText(form, field);
  const nameError =
    problems.name !== null && form.isLeft('name') ? t(`nameProblem.${problems.name}`) : null;
  return (
    <>
      <FormField label={t('name')} hint={t('nameHint')} error={refused('name') ?? nameError}>
        {(control) => (
          <input
            {...control}
            ref={nameRef}
            name="name"
            value={draft.name}
            onChange={({ target }) => change('name', { name: target.value })}
            onBlur={() => draft.name !== '' && leave('name')}
            autoComplete="off"
            dir="auto"
            className={inputClass}
          />
        )}
      </FormField>
      <ClientField form={form} keys={keys} refused={refused('client')} />
      <ScopesField
        chosen={draft.scopes}
        error={refused('scopes') ?? (problems.scopes === null ? null : t('noScope'))}
        onChosen={(scopes) => change('scopes', { scopes })}
      />
      <PatternsField
        text={draft.patterns}
        patterns={form.patterns}
        isLeft={form.isLeft('patterns')}
        refused={refused('patterns')}
        onText={(patterns) => change('patterns', { patterns })}
        onLeave={() => draft.patterns !== '' && leave('patterns')}
      />
      <ExpiryField
        draft={draft.expiry}
        expiry={form.expiry}
        isLeft={form.isLeft('expires_at')}
        refused={refused('expires_at')}
        onDraft={(expiry) => change('expires_at', { expiry })}
        onLeave={() => leave('expires_at')}
      />
    </>
  );
}

interface ClientFieldProps {
  readonly form: KeyDraft;
  readonly keys: readonly KeyOnWire[];
  readonly refused: ReactNode;
}

/** Part of ownership, so it is said when the client is one that other keys have. */
function ClientField({ form, keys, refused }: ClientFieldProps) {
  const t = useTranslations('newKey');
  const id = useId();
  const { draft, problems, change, leave } = form;
  const clients = [...new Set(keys.map((key) => key.client))].sort();
  const sharing = keys.filter(
    (key) => key.state === 'active' && key.client === draft.client.normalize('NFC'),
  ).length;
  const isShown = form.isLeft('client') || (form.isLeft('name') && draft.client !== '');
  const error = problems.client !== null && isShown ? t(`clientProblem.${problems.client}`) : null;
  return (
    <FormField
      label={t('client')}
      hint={
        sharing > 0 ? (
          <span className="text-amber">{t('clientShared', { n: sharing })}</span>
        ) : (
          t('clientHint')
        )
      }
      error={refused ?? error}
    >
      {(control) => (
        <>
          <input
            {...control}
            name="client"
            value={draft.client}
            list={`${id}-clients`}
            onChange={({ target }) => change('client', { client: target.value })}
            onBlur={() => draft.client !== '' && leave('client')}
            autoCapitalize="off"
            autoComplete="off"
            spellCheck={false}
            dir="auto"
            className={`${inputClass} font-mono`}
          />
          <datalist id={`${id}-clients`}>
            {clients.map((client) => (
              <option key={client} value={client} />
            ))}
          </datalist>
        </>
      )}
    </FormField>
  );
}

/** The server's own words, which are English; null where it has none. */
function refusedText(form: KeyDraft, field: KeyField): ReactNode {
  const errors = form.refusedOf(field);
  if (errors.length === 0) return null;
  return (
    <span lang="en">
      {errors.map((error) => (
        <span key={error.field} className="block">
          {patternOf(form, error.field)} {error.message}
        </span>
      ))}
    </span>
  );
}

/** Which pattern `patterns.1` is; lines without text are not counted there. */
function patternOf(form: KeyDraft, field: string): string {
  const [name, index] = field.split('.');
  return name === 'patterns' ? (form.request.patterns[Number(index)] ?? '') : '';
}
