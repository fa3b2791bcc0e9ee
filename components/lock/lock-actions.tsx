'use client';

import { Toast } from '@base-ui/react/toast';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import type { LockSighting } from '@/lib/queries/inspect-lock';

import { AskDialog } from '../release/ask-dialog';
import { HoldDialog } from '../release/hold-dialog';
import type { Ending } from '../release/use-ending';
import { OperatorButton } from '../session/operator-button';
import { useMayOperate } from '../session/session-context';

interface LockActionsProps {
  readonly resource: string;
  readonly sighting: LockSighting;
  readonly onEnd: Ending['ask'];
}

/** An open dialog keeps the lease that it was opened for: the page goes on reading, and must not swap it for another. */
type OpenDialog = { readonly kind: 'hold' } | { readonly kind: 'ask'; readonly seen: LockOnWire };

/** What may be done with the resource as it is now. */
export function LockActions({ resource, sighting, onEnd }: LockActionsProps) {
  const t = useTranslations('actions');
  const queryClient = useQueryClient();
  const { add } = Toast.useToastManager();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const { whyNot } = useMayOperate();
  const { lock, anchor } = sighting;
  const isFree = lock === null || lock.state === 'expired';
  const isClosed = lock !== null && lock.held_by_operator !== null;

  function done(text: string) {
    setDialog(null);
    add({ description: text, timeout: 8_000 });
    void queryClient.invalidateQueries({ queryKey: ['lock', resource] });
  }

  const end = lock === null ? null : isFree ? 'clear' : isClosed ? 'reopen' : 'forceRelease';
  return (
    <div className="flex flex-wrap gap-x-6 gap-y-2">
      {isFree && (
        <OperatorButton aria-haspopup="dialog" onClick={() => setDialog({ kind: 'hold' })}>
          {t('hold')}
        </OperatorButton>
      )}
      {lock !== null && !isFree && !isClosed && (
        <OperatorButton
          aria-haspopup="dialog"
          onClick={() => setDialog({ kind: 'ask', seen: lock })}
        >
          {t('ask')}
        </OperatorButton>
      )}
      {lock !== null && end !== null && (
        <OperatorButton
          kind={end === 'forceRelease' ? 'danger' : 'plain'}
          aria-haspopup="dialog"
          data-lock-end=""
          onClick={(event) => onEnd({ lock, anchor, button: event.currentTarget })}
        >
          {t(end)}
        </OperatorButton>
      )}
      {whyNot !== null && <p className="w-full text-cell text-dim">{whyNot}</p>}
      {dialog?.kind === 'ask' && (
        <AskDialog
          seen={dialog.seen}
          onClose={() => setDialog(null)}
          onAsked={() => done(t('asked'))}
        />
      )}
      {dialog?.kind === 'hold' && (
        <HoldDialog
          resource={resource}
          onClose={() => setDialog(null)}
          onHeld={() => done(t('held'))}
        />
      )}
    </div>
  );
}
