'use client';

import { useTranslations } from 'use-intl';

import type { KeyOnWire } from '@/lib/contract/access-answers';

import { KeyRow } from './key-row';

interface KeysTableProps {
  readonly keys: readonly KeyOnWire[];
  readonly nowMs: number;
  readonly onRotate: (key: KeyOnWire) => void;
  readonly onRevoke: (key: KeyOnWire) => void;
}

const columns = [
  ['name', 'w-[17%] ps-5'],
  ['client', 'w-[12%]'],
  ['state', 'w-30'],
  ['scopes', 'w-28'],
  ['patterns', ''],
  ['used', 'w-30'],
  ['expires', 'w-28'],
  ['created', 'w-36'],
] as const;

/** A real table; on narrow screens its rows are stacked, and the roles keep their cells a table's. */
export function KeysTable({ keys, nowMs, onRotate, onRevoke }: KeysTableProps) {
  const t = useTranslations('apiKeys');
  return (
    <table
      role="table"
      aria-label={t('title')}
      className="w-full border-separate border-spacing-0 text-cell max-xl:block xl:table-fixed"
    >
      <thead role="rowgroup" className="max-xl:sr-only xl:sticky xl:top-11 xl:z-10">
        <tr role="row">
          {columns.map(([name, width]) => (
            <th key={name} role="columnheader" scope="col" className={`${headClass} ${width}`}>
              {t(`column.${name}`)}
            </th>
          ))}
          <th role="columnheader" scope="col" className={`${headClass} w-44`}>
            <span className="sr-only">{t('column.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup" className="max-xl:block max-xl:border-t max-xl:border-hair">
        {keys.map((key) => (
          <KeyRow key={key.id} apiKey={key} nowMs={nowMs} onRotate={onRotate} onRevoke={onRevoke} />
        ))}
      </tbody>
    </table>
  );
}

const headClass =
  'h-9 border-b border-hair bg-ground px-2 text-start align-middle text-meta font-strong text-dim';
