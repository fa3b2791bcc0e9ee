'use client';

import { memo, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import type { DrawnRow } from '@/lib/queries/still-rows';

import { OperatorButton } from '../session/operator-button';
import { CopyButton } from '../ui/copy-button';
import { HiddenCharactersMark } from '../ui/hidden-characters';
import { Moment } from '../ui/moment';
import { plainText } from '../ui/plain-text';
import { LockState } from '../lease/lock-state';
import { LeaseTrack } from '../lease/lease-track';
import { usePreferences } from '../shell/preferences-context';
import { CutText } from '../ui/cut-text';
import { actionsClass, cellClass, classOfCell, columnsWith, type ColumnKey } from './columns';
import { NameLink } from './name-link';
import { OwnerCell } from './owner-cell';
import { StateGlyph } from '../lease/state-glyph';
import { TimeLeft } from '../lease/time-left';

export type RowBusy = 'releasing' | 'clearing' | null;

export interface LockRowProps {
  readonly row: DrawnRow;
  readonly index: number;
  readonly isSelected: boolean;
  readonly busy: RowBusy;
  /** Of a row that is no longer in the list: what became of it, in the place of its state. */
  readonly note: ReactNode;
  readonly measure: (row: HTMLTableRowElement | null) => void;
  readonly onToggle: (row: DrawnRow) => void;
  /** Opens the question; nothing is ended by this alone. */
  readonly onEnd: (row: DrawnRow, button: HTMLElement) => void;
}

/** One lock. On a narrow screen its cells lie in two lines; the roles keep them a table's cells all the same. */
export const LockRow = memo(function LockRow(props: LockRowProps) {
  const { columns } = usePreferences();
  const { row, index, isSelected, busy, note, measure, onToggle, onEnd } = props;
  const { lock } = row;
  const isFaded = note !== null || busy !== null;
  return (
    <tr
      ref={measure}
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      data-selected={isSelected ? '' : undefined}
      data-resource={lock.resource}
      className={`group bg-surface md:h-(--row-height) focus-within:bg-blue-wash hover:bg-blue-wash data-selected:bg-blue-wash max-md:grid max-md:grid-cols-[2.25rem_minmax(0,1fr)_auto] max-md:border-b max-md:border-hair max-md:py-1.5 max-md:[&>td]:border-0 max-md:[&>td]:py-0.5 ${isFaded ? '[&>td]:text-dim [&>td>*]:opacity-70' : ''}`}
    >
      <SelectCell {...{ row, isSelected, onToggle }} />
      {columnsWith(columns).map(({ key }) => (
        <td key={key} role="cell" className={`${classOfCell[key]} ${narrowClasses[key] ?? ''}`}>
          <Cell column={key} lock={lock} note={note} busy={busy} />
        </td>
      ))}
      <td
        role="cell"
        className={`${cellClass} ${actionsClass} relative bg-inherit text-end max-md:hidden`}
      >
        {!isFaded && <EndButton row={row} onEnd={onEnd} />}
      </td>
    </tr>
  );
});

/** Where a cell stands in the lines of a narrow screen; those without a place there are left out. */
const narrowClasses: Readonly<Partial<Record<ColumnKey, string>>> = {
  state: 'max-md:order-2 max-md:w-auto max-md:text-end',
  resource: 'max-md:order-1',
  owner: 'max-md:order-3 max-md:w-auto',
  left: 'whitespace-nowrap max-md:order-4 max-md:w-auto',
  track:
    'relative max-md:order-5 max-md:col-span-full max-md:mx-3 max-md:mt-1 max-md:h-5 max-md:w-auto max-md:p-0',
  fence: 'font-mono',
};

interface CellProps extends Pick<LockRowProps, 'busy' | 'note'> {
  readonly column: ColumnKey;
  readonly lock: LockOnWire;
}

function Cell({ column, lock, busy, note }: CellProps): ReactNode {
  const t = useTranslations('row');
  switch (column) {
    case 'state':
      return note ?? <LockState lock={lock} />;
    case 'resource':
      return <Name resource={lock.resource} />;
    case 'owner':
      return (
        <span className="flex min-w-0 items-center gap-3">
          <OwnerCell lock={lock} />
          <span className="shrink-0 xl:hidden">
            <Asking owners={lock.contention?.owners ?? 0} />
          </span>
        </span>
      );
    case 'client':
      return lock.client === null ? null : <CutText text={lock.client} />;
    case 'track':
      return note === null && <LeaseTrack lock={lock} />;
    case 'left':
      if (busy !== null) return t(busy);
      return note === null && <TimeLeft lock={lock} />;
    case 'acquired':
      return <Moment at={lock.acquired_at} />;
    case 'expires':
      return <Moment at={lock.expires_at} />;
    case 'fence':
      return lock.fencing_token;
    case 'asking':
      return <Asking owners={lock.contention?.owners ?? 0} />;
  }
}

function SelectCell(props: Pick<LockRowProps, 'row' | 'isSelected' | 'onToggle'>) {
  const t = useTranslations('row');
  const { row, isSelected, onToggle } = props;
  return (
    <td role="cell" className={`${cellClass} w-10 ps-3 max-md:row-span-2 sm:ps-5`}>
      <label className="-m-1 block p-1">
        <input
          type="checkbox"
          aria-label={t('select', { resource: plainText(row.lock.resource) })}
          checked={isSelected}
          onChange={() => onToggle(row)}
          className="block size-4 accent-blue"
        />
      </label>
    </td>
  );
}

function Name({ resource }: { readonly resource: string }) {
  const t = useTranslations('row');
  return (
    <span className="flex items-center">
      <NameLink resource={resource} />
      <HiddenCharactersMark text={resource} />
      <CopyButton
        text={resource}
        label={t('copyName')}
        className="ms-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 max-md:hidden"
      />
    </span>
  );
}

function Asking({ owners }: { readonly owners: number }) {
  const t = useTranslations('row');
  if (owners === 0) return null;
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-violet">
      <StateGlyph name="asked" />
      <span aria-hidden="true">{owners}</span>
      <span className="sr-only">{t('asking', { owners })}</span>
    </span>
  );
}

function EndButton({ row, onEnd }: Pick<LockRowProps, 'row' | 'onEnd'>) {
  const t = useTranslations('row');
  const { lock } = row;
  const isExpired = lock.state === 'expired';
  const verb = isExpired ? 'clear' : lock.held_by_operator === null ? 'forceRelease' : 'reopen';
  return (
    <span className="inline-flex bg-inherit opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100 xl:pointer-fine:absolute xl:pointer-fine:inset-y-0 xl:pointer-fine:end-0 xl:pointer-fine:items-center xl:pointer-fine:ps-3 xl:pointer-fine:pe-5">
      <OperatorButton
        kind={verb === 'forceRelease' ? 'danger' : 'plain'}
        size="small"
        aria-haspopup="dialog"
        aria-label={t(`${verb}Named`, { resource: plainText(lock.resource) })}
        data-row-end=""
        onClick={(event) => onEnd(row, event.currentTarget)}
      >
        {t(verb)}
      </OperatorButton>
    </span>
  );
}
