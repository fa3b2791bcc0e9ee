'use client';

import { createContext, use } from 'react';
import { useTranslations } from 'use-intl';

import { hasRole } from '@/lib/contract/access';
import type { MeOnWire } from '@/lib/contract/access-answers';

import { plainText } from '../ui/plain-text';

export type Person = Extract<MeOnWire, { readonly kind: 'person' }>;

/** Who is signed in; null while that is not known yet. */
export const SessionContext = createContext<Person | null>(null);

export function usePerson(): Person | null {
  return use(SessionContext);
}

export interface Permission {
  readonly isAllowed: boolean;
  /** Why not, in words; null where it is allowed, and while nobody knows yet. */
  readonly whyNot: string | null;
}

/** Whether the person may operate. The server decides; this explains beforehand. */
export function useMayOperate(): Permission {
  const t = useTranslations('session');
  const person = usePerson();
  if (person === null) return { isAllowed: false, whyNot: null };
  if (hasRole(person.role, 'operator')) return { isAllowed: true, whyNot: null };
  const admins = person.admins.map(plainText).join(', ');
  if (admins === '') return { isAllowed: false, whyNot: t('needsOperator') };
  return { isAllowed: false, whyNot: t('needsOperatorOf', { admins }) };
}
