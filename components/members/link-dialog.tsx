'use client';

import { useTranslations } from 'use-intl';

import type { MemberOnWire } from '@/lib/contract/access-answers';

import { OnceDialog } from '../access/once-dialog';
import { OnceText } from '../access/once-text';
import { UserText } from '../ui/user-text';
import { useTimes } from '../ui/use-times';

export interface NewLink {
  readonly member: MemberOnWire;
  readonly link: string;
  readonly link_expires_at: string;
}

interface LinkDialogProps {
  readonly made: NewLink;
  readonly onClose: () => void;
  readonly finalFocus: () => HTMLElement | boolean;
}

/** The one-time link, the only time that it is shown. No mail is sent: the admin hands it over. */
export function LinkDialog({ made, onClose, finalFocus }: LinkDialogProps) {
  const t = useTranslations('link');
  const times = useTimes();
  const endsAtMs = Date.parse(made.link_expires_at);
  return (
    <OnceDialog
      title={t('title')}
      notCopied={t('notCopied')}
      onClose={onClose}
      finalFocus={finalFocus}
    >
      {(onCopied) => (
        <>
          <p className="break-words">
            {t.rich('text', {
              email: () => <UserText key="email">{made.member.email}</UserText>,
            })}
          </p>
          <OnceText label={t('link')} text={made.link} copy={t('copy')} onCopied={onCopied} />
          <p>
            {t('until', {
              time: `${times.day(endsAtMs)} ${times.clock(endsAtMs)}`,
              zone: times.zoneLabel,
            })}
          </p>
        </>
      )}
    </OnceDialog>
  );
}
