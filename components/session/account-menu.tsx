'use client';

import { ChevronDown, CircleUser } from 'lucide-react';
import Link from 'next/link';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { signOutOptions } from '@/lib/queries/sign-in';

import { Button } from '../ui/button';
import { Popover } from '../ui/popover';
import { ProblemNote } from '../ui/problem-note';
import { UserText } from '../ui/user-text';
import { useSendOnce } from '../ui/use-send-once';
import { useTimes } from '../ui/use-times';
import { usePages } from './pages';
import { PasswordDialog } from './password-dialog';
import { usePerson, type Person } from './session-context';

/** Who works here, what they may do, their password, and the way out. */
export function AccountMenu() {
  const t = useTranslations('session');
  const person = usePerson();
  const [opened, setOpened] = useState<'menu' | 'password' | null>(null);
  const buttonRef = useRef<HTMLButtonElement>(null);
  if (person === null) return null;
  const close = () => setOpened(null);
  return (
    <>
      <button
        ref={buttonRef}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={opened === 'menu'}
        aria-label={t('account', { name: person.name })}
        onClick={() => setOpened('menu')}
        className="inline-flex h-7 min-w-7 items-center justify-center gap-1 rounded-control border border-transparent px-1.5 text-cell hover:border-control aria-expanded:border-control"
      >
        <CircleUser aria-hidden="true" size={15} className="lg:hidden" />
        <span aria-hidden="true" className="max-w-32 truncate max-lg:hidden">
          {person.name}
        </span>
        <ChevronDown aria-hidden="true" size={13} className="max-lg:hidden" />
      </button>
      {opened === 'menu' && (
        <Popover title={t('accountTitle')} anchor={buttonRef} onClose={close}>
          <AccountFacts person={person} />
          <PageLinks onGo={close} />
          <WaysOut person={person} onPassword={() => setOpened('password')} />
        </Popover>
      )}
      {opened === 'password' && (
        <PasswordDialog
          email={person.email}
          onClose={close}
          finalFocus={() => buttonRef.current ?? true}
        />
      )}
    </>
  );
}

function AccountFacts({ person }: { readonly person: Person }) {
  const t = useTranslations('session');
  const { moment, zoneLabel } = useTimes();
  return (
    <div className="flex flex-col gap-2">
      <p>
        <UserText isProse>{person.name}</UserText>
        <br />
        <span className="text-cell text-dim">
          <UserText>{person.email}</UserText>
        </span>
      </p>
      <p>
        {t('roleIs')}: <strong className="font-strong">{t(`role.${person.role}`)}</strong>
        <br />
        <span className="text-cell text-dim">{t(`roleMay.${person.role}`)}</span>
      </p>
      <p className="text-cell text-dim">
        {t('until', { time: moment(Date.parse(person.session_expires_at), 0), zone: zoneLabel })}
      </p>
    </div>
  );
}

/** On a small screen the bar has no room for them. */
function PageLinks({ onGo }: { readonly onGo: () => void }) {
  const t = useTranslations('session');
  const pages = usePages();
  return (
    <nav aria-label={t('pages')} className="flex flex-col border-y border-hair py-1 lg:hidden">
      {pages.map(({ href, label }) => (
        <Link key={href} href={href} onClick={onGo} className="flex h-9 items-center">
          {label}
        </Link>
      ))}
    </nav>
  );
}

interface WaysOutProps {
  readonly person: Person;
  readonly onPassword: () => void;
}

function WaysOut({ person, onPassword }: WaysOutProps) {
  const t = useTranslations('session');
  const hasPassword = person.signs_in_by.includes('password');
  const signOut = useSendOnce(signOutOptions, {
    // A page load, so that nothing of what was read stays in the memory of this tab.
    onAnswer: () => window.location.assign('/sign-in'),
  });
  return (
    <>
      {signOut.error !== null && !signOut.isSending && (
        <ProblemNote what={t('notSignedOut')} error={signOut.error} />
      )}
      {!hasPassword && <p className="text-cell text-dim">{t('passwordElsewhere')}</p>}
      <div className="flex flex-wrap justify-end gap-x-4 gap-y-2">
        {hasPassword && (
          <Button aria-haspopup="dialog" onClick={onPassword}>
            {t('changePassword')}
          </Button>
        )}
        <Button aria-disabled={signOut.isSending} onClick={() => signOut.send()}>
          {signOut.isSending ? t('signingOut') : t('signOut')}
        </Button>
      </div>
    </>
  );
}
