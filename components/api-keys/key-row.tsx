'use client';

import Link from 'next/link';
import { memo, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import type { KeyOnWire } from '@/lib/contract/access-answers';
import { keyWordOf } from '@/lib/queries/key-expiry';
import { withQuery } from '@/lib/queries/paths';

import { TimeText, useCoarseDuration } from '../access/coarse-time';
import { Button } from '../ui/button';
import { CutText } from '../ui/cut-text';
import { HiddenCharactersMark } from '../ui/hidden-characters';
import { plainText } from '../ui/plain-text';
import { useTimes } from '../ui/use-times';
import { KeyState } from './key-state';
import { PatternsCell } from './patterns-cell';
import { useUsedText } from './use-used-text';

interface KeyRowProps {
  readonly apiKey: KeyOnWire;
  /** By the server, and not to the second: a row is drawn anew when it changes. */
  readonly nowMs: number;
  readonly onRotate: (key: KeyOnWire) => void;
  readonly onRevoke: (key: KeyOnWire) => void;
}

const cellClass = 'xl:border-b xl:border-hair xl:px-2 xl:py-1.5 align-middle min-w-0';

export const KeyRow = memo(function KeyRow(props: KeyRowProps) {
  const { apiKey: key, nowMs } = props;
  const t = useTranslations('apiKeys');
  const word = keyWordOf(key, nowMs);
  const isOver = word === 'revoked' || word === 'expired';
  return (
    <tr
      role="row"
      data-api-key={key.id}
      className={`bg-surface max-xl:grid max-xl:grid-cols-[minmax(0,1fr)_auto] max-xl:items-center max-xl:gap-x-4 max-xl:gap-y-1 max-xl:border-b max-xl:border-hair max-xl:px-3 max-xl:py-3 max-xl:sm:px-5 xl:h-13 ${isOver ? 'text-dim' : ''}`}
    >
      <NameCell apiKey={key} />
      <ClientCell client={key.client} />
      <td
        role="cell"
        className={`${cellClass} max-xl:col-start-2 max-xl:row-start-1 max-xl:justify-self-end`}
      >
        <KeyState word={word} />
      </td>
      <td
        role="cell"
        className={`${cellClass} max-xl:col-start-2 max-xl:row-start-2 max-xl:justify-self-end`}
      >
        <Lead>{t('column.scopes')}</Lead>
        {key.scopes.join(', ')}
      </td>
      <td role="cell" className={`${cellClass} max-xl:col-span-2`}>
        <div className="flex min-w-0 items-center">
          <Lead>{t('column.patterns')}</Lead>
          <PatternsCell patterns={key.patterns} />
        </div>
      </td>
      <TimeCells apiKey={key} nowMs={nowMs} />
      <ActionsCell {...props} isRevoked={word === 'revoked'} isExpired={word === 'expired'} />
    </tr>
  );
});

function NameCell({ apiKey }: Pick<KeyRowProps, 'apiKey'>) {
  return (
    <th
      role="rowheader"
      scope="row"
      className={`${cellClass} text-start font-normal max-xl:col-start-1 max-xl:row-start-1 xl:ps-5`}
    >
      <div className="flex min-w-0 flex-col">
        <span className="flex min-w-0 font-strong [&_bdi]:font-sans">
          <CutText text={apiKey.name} />
          <HiddenCharactersMark text={apiKey.name} />
        </span>
        <code className="font-mono text-meta text-dim">{apiKey.prefix}…</code>
      </div>
    </th>
  );
}

function ClientCell({ client }: { readonly client: string }) {
  const t = useTranslations('apiKeys');
  return (
    <td role="cell" className={`${cellClass} max-xl:col-start-1 max-xl:row-start-2`}>
      <span className="flex min-w-0 gap-1.5">
        <Lead>{t('column.client')}</Lead>
        <Link
          href={withQuery('/locks', { client })}
          prefetch={false}
          title={t('itsLocks')}
          className="flex min-h-6 min-w-0 items-center underline-offset-2 hover:underline"
        >
          <CutText text={client} />
        </Link>
        <HiddenCharactersMark text={client} />
      </span>
    </td>
  );
}

function TimeCells({ apiKey: key, nowMs }: Pick<KeyRowProps, 'apiKey' | 'nowMs'>) {
  const t = useTranslations('apiKeys');
  const times = useTimes();
  const usedText = useUsedText();
  return (
    <>
      <td role="cell" className={`${cellClass} max-xl:col-span-2`}>
        <Lead>{t('column.used')}</Lead>
        {key.last_used_at === null ? (
          <span className="text-dim">{t('neverUsed')}</span>
        ) : (
          <TimeText at={key.last_used_at}>
            {usedText(nowMs - Date.parse(key.last_used_at))}
          </TimeText>
        )}
      </td>
      <td role="cell" className={`${cellClass} max-xl:col-span-2`}>
        <Lead>{t('column.expires')}</Lead>
        <EndText apiKey={key} nowMs={nowMs} />
      </td>
      <td role="cell" className={`${cellClass} max-xl:col-span-2`}>
        <div className="flex min-w-0 max-xl:gap-1.5 xl:flex-col">
          <span className="shrink-0">
            <Lead>{t('column.created')}</Lead>
            <TimeText at={key.created_at}>{times.day(Date.parse(key.created_at))}</TimeText>
          </span>
          <span className="flex min-w-0 text-dim xl:text-meta [&_bdi]:font-sans">
            <CutText text={key.created_by} />
          </span>
        </div>
      </td>
    </>
  );
}

function EndText({ apiKey: key, nowMs }: Pick<KeyRowProps, 'apiKey' | 'nowMs'>) {
  const t = useTranslations('apiKeys');
  const coarse = useCoarseDuration();
  if (key.revoked_at !== null) {
    const agoMs = nowMs - Date.parse(key.revoked_at);
    const text = agoMs < 60_000 ? t('revokedNow') : t('revokedAgo', { time: coarse(agoMs) });
    return <TimeText at={key.revoked_at}>{text}</TimeText>;
  }
  if (key.expires_at === null) return <span className="text-dim">{t('never')}</span>;
  const leftMs = Date.parse(key.expires_at) - nowMs;
  const time = coarse(Math.abs(leftMs));
  return <TimeText at={key.expires_at}>{t(leftMs > 0 ? 'in' : 'ago', { time })}</TimeText>;
}

interface ActionsCellProps extends KeyRowProps {
  readonly isRevoked: boolean;
  readonly isExpired: boolean;
}

function ActionsCell({ apiKey, isRevoked, isExpired, onRotate, onRevoke }: ActionsCellProps) {
  const t = useTranslations('apiKeys');
  // After a rotation there are two keys of one name.
  const name = `${plainText(apiKey.name)} ${apiKey.prefix}`;
  return (
    <td
      role="cell"
      className={`${cellClass} max-xl:col-span-2 xl:pe-5 xl:text-end ${isRevoked ? 'max-xl:hidden' : ''}`}
    >
      {!isRevoked && (
        <span className="inline-flex gap-4 max-xl:pt-1">
          {!isExpired && (
            <Button
              size="small"
              aria-haspopup="dialog"
              aria-label={t('rotateNamed', { name })}
              onClick={() => onRotate(apiKey)}
            >
              {t('rotate')}
            </Button>
          )}
          <Button
            size="small"
            aria-haspopup="dialog"
            aria-label={t('revokeNamed', { name })}
            onClick={() => onRevoke(apiKey)}
          >
            {t('revoke')}
          </Button>
        </span>
      )}
    </td>
  );
}

/** What a column's head says, where the rows are stacked and there is none. */
function Lead({ children }: { readonly children: ReactNode }) {
  return (
    <span aria-hidden="true" className="me-1.5 shrink-0 text-dim xl:hidden">
      {children}
    </span>
  );
}
