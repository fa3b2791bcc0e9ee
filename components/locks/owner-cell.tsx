'use client';

import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';

import { CutText } from '../ui/cut-text';

/** Who holds it; of a closed lock, who closed it. */
export function OwnerCell({ lock }: { readonly lock: LockOnWire }) {
  const t = useTranslations('row');
  if (lock.held_by_operator === null) return <CutText text={lock.owner} />;
  const { name, reason } = lock.held_by_operator;
  return (
    <span className="flex min-w-0 gap-1" title={reason}>
      <span className="shrink-0 text-dim">{t('closedBy')}</span>
      <CutText text={name} />
    </span>
  );
}
