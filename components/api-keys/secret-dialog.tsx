'use client';

import { useTranslations } from 'use-intl';

import type { KeyOnWire } from '@/lib/contract/access-answers';
import { sampleCall } from '@/lib/queries/key-call';

import { OnceDialog } from '../access/once-dialog';
import { OnceText } from '../access/once-text';
import { UserText } from '../ui/user-text';
import { useTimes } from '../ui/use-times';

export interface NewSecret {
  readonly key: KeyOnWire;
  readonly secret: string;
  /** The key that this one takes the place of, as it is now. */
  readonly replaced: KeyOnWire | null;
}

interface SecretDialogProps {
  readonly made: NewSecret;
  readonly onClose: () => void;
  readonly finalFocus: () => HTMLElement | boolean;
}

/** The secret of a new key, the only time that anybody sees it, and a call that works with it. */
export function SecretDialog({ made, onClose, finalFocus }: SecretDialogProps) {
  const { key, secret, replaced } = made;
  const t = useTranslations('secret');
  return (
    <OnceDialog
      title={t(replaced === null ? 'title' : 'titleRotated')}
      notCopied={t('notCopied')}
      onClose={onClose}
      finalFocus={finalFocus}
    >
      {(onCopied) => (
        <>
          <p className="break-words">
            {t.rich('text', {
              name: () => (
                <strong key="name" className="font-strong">
                  <UserText isProse>{key.name}</UserText>
                </strong>
              ),
            })}
          </p>
          <OnceText label={t('secret')} text={secret} copy={t('copySecret')} onCopied={onCopied} />
          {replaced !== null && <OldSecret replaced={replaced} />}
          <OnceText
            isCommand
            label={t('tryIt')}
            text={sampleCall(key, secret, window.location.origin)}
            copy={t('copyCommand')}
            onCopied={onCopied}
          />
        </>
      )}
    </OnceDialog>
  );
}

/** Until when whoever has the old secret may go on. */
function OldSecret({ replaced }: { readonly replaced: KeyOnWire }) {
  const t = useTranslations('secret');
  const times = useTimes();
  const prefix = () => (
    <code key="prefix" className="font-mono">
      {replaced.prefix}…
    </code>
  );
  const endsAtMs = replaced.expires_at === null ? null : Date.parse(replaced.expires_at);
  if (endsAtMs === null || replaced.state !== 'active')
    return <p>{t.rich('oldOver', { prefix })}</p>;
  const time = `${times.day(endsAtMs)} ${times.clock(endsAtMs)}`;
  return <p>{t.rich('oldUntil', { prefix, time, zone: times.zoneLabel })}</p>;
}
