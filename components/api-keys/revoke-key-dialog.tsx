'use client';

import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import type { KeyOnWire } from '@/lib/contract/access-answers';
import { isOutcomeUnknown } from '@/lib/queries/api-error';
import { revokeKeyOptions } from '@/lib/queries/api-keys';

import { ConfirmField } from '../release/confirm-field';
import { confirmationOf, isConfirmed } from '../release/confirmation';
import { Button } from '../ui/button';
import { Modal } from '../ui/modal';
import { ProblemNote } from '../ui/problem-note';
import { useSendOnce } from '../ui/use-send-once';
import { KeyFacts } from './key-facts';
import { RevokeConsequences } from './revoke-consequences';

interface RevokeKeyDialogProps {
  /** As it was when the question was opened. */
  readonly seen: KeyOnWire;
  /** All keys as they are now. */
  readonly keys: readonly KeyOnWire[];
  readonly nowMs: number;
  readonly onClose: () => void;
  readonly onRevoked: (key: KeyOnWire) => void;
  readonly onSettled: () => void;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Dialog E: one press for a key that nobody uses, its name typed for one that somebody does. */
export function RevokeKeyDialog(props: RevokeKeyDialogProps) {
  const { seen, keys, nowMs, onClose, onRevoked, onSettled } = props;
  const t = useTranslations('revoke');
  const keepRef = useRef<HTMLButtonElement>(null);
  const [typed, setTyped] = useState('');
  const revoke = useSendOnce(revokeKeyOptions, {
    onAnswer(key) {
      onSettled();
      onRevoked(key);
    },
    onRefused: onSettled,
  });
  const key = keys.find(({ id }) => id === seen.id) ?? seen;
  const isInUse = isUsedLately(key, nowMs);
  const word = wordOf(key);
  const isReady = !revoke.isSending && (!isInUse || isConfirmed(typed, word));
  return (
    <Modal
      title={t('title')}
      role="alertdialog"
      onClose={onClose}
      isBusy={revoke.isSending}
      initialFocus={keepRef}
      className="sm:w-[36rem]"
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) revoke.send(key.id);
        }}
      >
        <KeyFacts apiKey={key} />
        <RevokeConsequences apiKey={key} othersCount={othersOf(key, keys)} />
        {isInUse && <ConfirmField confirmation={word} typed={typed} onTyped={setTyped} />}
        {revoke.error !== null && (
          <ProblemNote
            what={t(isOutcomeUnknown(revoke.error) ? 'notKnown' : 'notRevoked')}
            error={revoke.error}
          />
        )}
        <div className="flex flex-wrap justify-end gap-x-8 gap-y-2 pt-1">
          <Button ref={keepRef} onClick={onClose} disabled={revoke.isSending}>
            {t('keep')}
          </Button>
          <Button
            type="submit"
            kind={isInUse ? 'danger-solid' : 'primary'}
            aria-disabled={!isReady}
          >
            {revoke.isSending ? t('revoking') : t('revoke')}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

function isUsedLately({ state, last_used_at }: KeyOnWire, nowMs: number): boolean {
  if (state !== 'active' || last_used_at === null) return false;
  return nowMs - Date.parse(last_used_at) < dayMs;
}

/** The end of the name; of one that can't be typed, what its secret begins with. */
function wordOf({ name, prefix }: KeyOnWire): string {
  return confirmationOf(name, 0) === '0' ? prefix : confirmationOf(name, 0);
}

function othersOf(key: KeyOnWire, keys: readonly KeyOnWire[]): number {
  return keys.filter(
    (other) =>
      other.id !== key.id &&
      other.client === key.client &&
      other.state === 'active' &&
      other.scopes.includes('acquire'),
  ).length;
}
