'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { ApiError } from '@/lib/queries/api-error';
import { clearOptions, type LeaseSeen } from '@/lib/queries/clear-locks';
import type { LockFilters } from '@/lib/queries/list-locks';
import { acceptableReason } from '@/lib/queries/reason';

import { ReasonField } from '../release/reason-field';
import { Button } from '../ui/button';
import { Modal } from '../ui/modal';
import { ProblemNote } from '../ui/problem-note';
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
  const clear = useMutation({
    ...clearOptions,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['locks'] }),
  });
  const kept = acceptableReason(reason);
  const isReady = expired.length > 0 && !clear.isPending && (kept !== null || reason.trim() === '');
  const title = t('title', { n: expired.length, text: count(expired.length) });

  return (
    <Modal
      title={clear.data === undefined ? title : t('titleDone')}
      onClose={() => onClose(clear.data !== undefined)}
      isBusy={clear.isPending}
      initialFocus={cancelRef}
    >
      {clear.data !== undefined ? (
        <BulkClearResult result={clear.data} onClose={() => onClose(true)} />
      ) : (
        <form
          className="flex flex-col gap-4"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady) clear.mutate({ locks: expired, reason: kept });
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
          {clear.error instanceof ApiError && (
            <ProblemNote what={t('notCleared')} error={clear.error} />
          )}
          <div className="flex justify-end gap-4">
            <Button ref={cancelRef} onClick={() => onClose(false)} disabled={clear.isPending}>
              {t('cancel')}
            </Button>
            <Button type="submit" aria-disabled={!isReady}>
              {clear.isPending ? t('clearing') : t('clear')}
            </Button>
          </div>
        </form>
      )}
    </Modal>
  );
}
