'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { clearOptions, type LeaseSeen } from '@/lib/queries/clear-locks';
import type { LockFilters } from '@/lib/queries/list-locks';
import { acceptableReason } from '@/lib/queries/reason';

import { ReasonField } from '../release/reason-field';
import { Button } from '../ui/button';
import { Modal } from '../ui/modal';
import { ProblemNote } from '../ui/problem-note';
import { useSendOnce } from '../ui/use-send-once';
import { useTimes } from '../ui/use-times';
import { BulkClearResult } from './bulk-clear-result';
import { FiltersInWords } from './filters-in-words';
import { useCount } from './use-count';

interface BulkClearDialogProps {
  readonly expired: readonly LeaseSeen[];
  /** Selected, but in use: they are left out, and said to be. */
  readonly liveCount: number;
  readonly filters: LockFilters;
  /** The server's time of the list that they were selected from. */
  readonly asOfMs: number;
  readonly onClose: (isDone: boolean) => void;
}

export function BulkClearDialog(props: BulkClearDialogProps) {
  const { expired, liveCount, filters, asOfMs, onClose } = props;
  const t = useTranslations('bulk');
  const times = useTimes();
  const count = useCount(false);
  const cancelRef = useRef<HTMLButtonElement>(null);
  const [reason, setReason] = useState('');
  const queryClient = useQueryClient();
  const readAnew = () => void queryClient.invalidateQueries({ queryKey: ['locks'] });
  const clear = useSendOnce(clearOptions, { onAnswer: readAnew, onRefused: readAnew });
  const kept = acceptableReason(reason);
  const isReady = expired.length > 0 && !clear.isSending && (kept !== null || reason.trim() === '');
  const title = t('title', { n: expired.length, text: count(expired.length) });

  return (
    <Modal
      title={clear.answer === null ? title : t('titleDone')}
      onClose={() => onClose(clear.answer !== null)}
      isBusy={clear.isSending}
      initialFocus={cancelRef}
    >
      {clear.answer !== null ? (
        <BulkClearResult result={clear.answer} onClose={() => onClose(true)} />
      ) : (
        <form
          className="flex flex-col gap-4"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady) clear.send({ locks: expired, reason: kept });
          }}
        >
          <p className="break-words">
            {t('asListed', { time: times.clock(asOfMs) })}
            <FiltersInWords filters={filters} />
            {t('skipped')}
          </p>
          {liveCount > 0 && (
            <p className="text-amber">{t('leftOut', { n: liveCount, text: count(liveCount) })}</p>
          )}
          <ReasonField reason={reason} onReason={setReason} hint={t('reasonHint')} />
          {clear.error !== null && <ProblemNote what={t('notCleared')} error={clear.error} />}
          <div className="flex justify-end gap-4">
            <Button ref={cancelRef} onClick={() => onClose(false)} disabled={clear.isSending}>
              {t('cancel')}
            </Button>
            <Button type="submit" aria-disabled={!isReady}>
              {clear.isSending ? t('clearing') : t('clear')}
            </Button>
          </div>
        </form>
      )}
    </Modal>
  );
}
