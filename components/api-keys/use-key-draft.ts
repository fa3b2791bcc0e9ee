'use client';

import { useState } from 'react';

import type { Scope } from '@/lib/contract/access';
import type { FieldError } from '@/lib/contract/problems';
import type { NewKeyRequest } from '@/lib/queries/api-keys';
import { clientProblem, nameProblem, parsePatterns } from '@/lib/queries/key-draft';
import { expiryOf, expiryOnWire, type ExpiryDraft } from '@/lib/queries/key-expiry';

import { usePreferences } from '../shell/preferences-context';

export const keyFields = ['name', 'client', 'scopes', 'patterns', 'expires_at'] as const;
export type KeyField = (typeof keyFields)[number];

interface Draft {
  readonly name: string;
  /** Null while it follows the name. */
  readonly client: string | null;
  readonly scopes: readonly Scope[];
  readonly patterns: string;
  readonly expiry: ExpiryDraft;
}

const emptyDraft: Draft = {
  name: '',
  client: null,
  scopes: ['acquire'],
  patterns: '',
  expiry: { choice: 'never', date: '' },
};

/** What has been typed of a new key, what is wrong with it, and what the server has refused. */
export function useKeyDraft(nowMs: number) {
  const { zone } = usePreferences();
  const [draft, setDraft] = useState(emptyDraft);
  const [left, setLeft] = useState<ReadonlySet<KeyField>>(new Set());
  const [refused, setRefused] = useState<readonly FieldError[]>([]);

  const client = draft.client ?? draft.name.trim();
  const patterns = parsePatterns(draft.patterns);
  const expiry = expiryOf(draft.expiry, zone, nowMs);
  const problems = {
    name: nameProblem(draft.name),
    client: clientProblem(client),
    scopes: draft.scopes.length === 0 ? ('empty' as const) : null,
    patterns: patterns.isEmpty || patterns.isTooMany || patterns.wrong.length > 0 ? patterns : null,
    expires_at: expiry.kind === 'past' || expiry.kind === 'noDate' ? expiry.kind : null,
  };
  const wrongFields = keyFields.filter((field) => problems[field] !== null);
  const request: NewKeyRequest = {
    name: draft.name,
    client,
    scopes: draft.scopes,
    patterns: patterns.patterns,
    expires_at: expiryOnWire(expiry) ?? null,
  };

  return {
    draft: { ...draft, client },
    patterns,
    expiry,
    problems,
    wrongFields,
    request,
    /** Whether it is time to say what is wrong: the field was left, or the form was sent. */
    isLeft: (field: KeyField) => left.has(field),
    /** The server's words for a field, while what it has refused still stands there. */
    refusedOf: (field: KeyField) => refused.filter((error) => fieldOf(error) === field),
    refuse: setRefused,
    leave: (...fields: readonly KeyField[]) => setLeft((known) => new Set([...known, ...fields])),
    change: (field: KeyField, changed: Partial<Draft>) => {
      setDraft((known) => ({ ...known, ...changed }));
      setRefused((known) => known.filter((error) => fieldOf(error) !== field));
    },
  };
}

export type KeyDraft = ReturnType<typeof useKeyDraft>;

/** `patterns.1` is about the patterns; null for what is no field of the form. */
export function fieldOf({ field }: FieldError): KeyField | null {
  return keyFields.find((known) => known === field.split('.')[0]) ?? null;
}
