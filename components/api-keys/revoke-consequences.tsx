'use client';

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';

import type { KeyOnWire } from '@/lib/contract/access-answers';
import { clientLocksOptions } from '@/lib/queries/api-keys';

import { useServerMs } from '../ui/server-clock';
import { UserText } from '../ui/user-text';
import { useDuration } from '../ui/use-times';
import { useCount } from '../locks/use-count';
import { useUsedText } from './use-used-text';

interface RevokeConsequencesProps {
  readonly apiKey: KeyOnWire;
  /** Other keys of the same client that work and may acquire: those can renew and release what this one acquired. */
  readonly othersCount: number;
}

/** Whether somebody works with the key, and what becomes of the locks of its client. */
export function RevokeConsequences({ apiKey: key, othersCount }: RevokeConsequencesProps) {
  const t = useTranslations('revoke');
  const usedText = useUsedText();
  const nowMs = useServerMs() ?? 0;
  const name = () => (
    <strong key="name" className="font-strong">
      <UserText isProse>{key.name}</UserText>
    </strong>
  );
  const used = key.last_used_at;
  return (
    <div className="flex flex-col gap-2 break-words">
      <p>
        {used === null
          ? t.rich('neverUsed', { name })
          : t.rich('used', { name, ago: usedText(nowMs - Date.parse(used)) })}
        {key.state === 'expired' && ` ${t('expired')}`}
      </p>
      {key.scopes.includes('acquire') && (
        <HeldLocks client={key.client} othersCount={othersCount} />
      )}
      {used !== null && key.state === 'active' && <p>{t('refused')}</p>}
      <p>{t('noUndo')}</p>
    </div>
  );
}

interface HeldLocksProps {
  readonly client: string;
  readonly othersCount: number;
}

/** Locks belong to clients and not to keys, so which key acquired them nobody can say. */
function HeldLocks({ client, othersCount }: HeldLocksProps) {
  const t = useTranslations('revoke');
  const duration = useDuration();
  const nowMs = useServerMs();
  const locks = useQuery(clientLocksOptions(client));
  const count = useCount(locks.data?.isCapped ?? false);
  if (locks.data === undefined) {
    return (
      <p className={locks.isError ? 'text-amber' : 'text-dim'}>
        {t(locks.isError ? 'locksUnknown' : 'locksReading')}
      </p>
    );
  }
  const { count: n, endsAtMs } = locks.data;
  const named = () => <UserText key="client">{client}</UserText>;
  if (n === 0 || endsAtMs === null) return <p>{t.rich('noLocks', { client: named })}</p>;
  // A lease of 29.4 s ends within 30 s, not within 29 s.
  const leftMs = Math.max(0, endsAtMs - (nowMs ?? endsAtMs));
  const within = duration(Math.ceil(leftMs / 1000) * 1000);
  const words = { client: named, n, text: count(n), within, others: othersCount };
  return (
    <p className="border-s-2 border-amber ps-3">
      {t.rich(othersCount > 0 ? 'locksShared' : 'locksEnd', words)}
    </p>
  );
}
