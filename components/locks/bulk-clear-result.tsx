'use client';

import { useTranslations } from 'use-intl';

import type { ClearResult } from '@/lib/queries/clear-locks';

import { Button } from '../ui/button';
import { CutText } from '../ui/cut-text';
import { useCount } from './use-count';

const namedMax = 20;

/** What came of it: how many, and which were skipped and why. */
export function BulkClearResult({
  result,
  onClose,
}: {
  readonly result: ClearResult;
  readonly onClose: () => void;
}) {
  const t = useTranslations('bulk');
  const count = useCount(false);
  const acquiredAgain = result.skipped.filter(
    ({ outcome }) => outcome === 'still-active' || outcome === 'lock-changed',
  );
  const others = result.skipped.filter((skipped) => !acquiredAgain.includes(skipped));
  return (
    <div className="flex flex-col gap-4">
      <p role="status">
        {t('cleared', { text: count(result.cleared) })}
        {acquiredAgain.length > 0 && t('acquiredAgain', { text: count(acquiredAgain.length) })}
        {t('stop')}
      </p>
      <Names names={acquiredAgain.map(({ resource }) => resource)} />
      {others.length > 0 && (
        <>
          <p>{t('others', { text: count(others.length) })}</p>
          <Names names={others.map(({ resource }) => resource)} />
        </>
      )}
      {result.unanswered.length > 0 && (
        <>
          <p className="text-amber">{t('unanswered', { text: count(result.unanswered.length) })}</p>
          <Names names={result.unanswered} />
        </>
      )}
      <div className="flex justify-end">
        <Button onClick={onClose} autoFocus>
          {t('close')}
        </Button>
      </div>
    </div>
  );
}

function Names({ names }: { readonly names: readonly string[] }) {
  const t = useTranslations('bulk');
  if (names.length === 0) return null;
  return (
    <ul className="list-disc ps-6 text-cell">
      {names.slice(0, namedMax).map((name) => (
        <li key={name}>
          <CutText text={name} isPath />
        </li>
      ))}
      {names.length > namedMax && <li>{t('more', { n: names.length - namedMax })}</li>}
    </ul>
  );
}
