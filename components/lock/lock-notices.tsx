'use client';

import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';

import { UserText } from '../ui/user-text';
import { useTimes } from '../ui/use-times';

/** What people have done to the lock as it is: closed it, or asked its holder to let go. */
export function LockNotices({ lock }: { readonly lock: LockOnWire }) {
  const t = useTranslations('lock');
  const times = useTimes();
  const { held_by_operator: hold, release_requested: asked } = lock;
  return (
    <>
      {hold !== null && (
        <p className="border-s-2 border-ink ps-3 break-words">
          {t.rich('closedBy', {
            who: () => <UserText key="who">{hold.name}</UserText>,
            why: () => (
              <UserText key="why" isProse>
                {hold.reason}
              </UserText>
            ),
            time: times.clock(Date.parse(lock.expires_at)),
          })}
        </p>
      )}
      {asked !== null && (
        <p className="border-s-2 border-blue ps-3 break-words">
          {t.rich('askedBy', {
            who: () => <UserText key="who">{asked.by}</UserText>,
            why: () => (
              <UserText key="why" isProse>
                {asked.reason}
              </UserText>
            ),
            time: times.clock(Date.parse(asked.at)),
          })}
        </p>
      )}
    </>
  );
}
