'use client';

import { useTranslations } from 'use-intl';

import type { KeyOnWire } from '@/lib/contract/access-answers';

import { HiddenCharactersMark } from '../ui/hidden-characters';
import { UserText } from '../ui/user-text';

/** Which key a question is about. */
export function KeyFacts({ apiKey: key }: { readonly apiKey: KeyOnWire }) {
  const t = useTranslations('apiKeys');
  return (
    <div className="flex flex-col gap-0.5 border-b border-hair pb-3">
      <p className="text-title font-strong">
        <UserText isProse>{key.name}</UserText>
        <HiddenCharactersMark text={key.name} />
      </p>
      <p className="text-cell text-dim">
        <code className="font-mono">{key.prefix}…</code> · {t('column.client')}{' '}
        <UserText>{key.client}</UserText>
      </p>
    </div>
  );
}
