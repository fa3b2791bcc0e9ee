'use client';

import { useTranslations } from 'use-intl';

import { OperatorButton } from '../session/operator-button';
import { useMayOperate } from '../session/session-context';
import { Button } from '../ui/button';
import { useCount } from './use-count';

interface SelectionBarProps {
  readonly selectedCount: number;
  readonly shownCount: number;
  readonly areShownSelected: boolean;
  /** All expired ones that match, loaded or not; null when there are no more than are shown. */
  readonly matchingText: string | null;
  readonly isSelectingAll: boolean;
  readonly onSelectShown: () => void;
  readonly onSelectMatching: () => void;
  readonly onClear: () => void;
  readonly onDeselect: () => void;
}

/** What can be done with the selected rows: clearing the expired ones among them, and nothing else. */
export function SelectionBar(props: SelectionBarProps) {
  const t = useTranslations('selection');
  const { whyNot } = useMayOperate();
  const count = useCount(false);
  return (
    <div
      role="group"
      aria-label={t('label')}
      className="sticky bottom-0 z-10 flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-control bg-surface px-3 py-2 sm:px-5"
    >
      <strong className="font-strong">
        {t('selected', { n: props.selectedCount, text: count(props.selectedCount) })}
      </strong>
      {!props.areShownSelected && (
        <Button size="small" kind="quiet" onClick={props.onSelectShown}>
          {t('selectShown', { text: count(props.shownCount) })}
        </Button>
      )}
      {props.areShownSelected && props.matchingText !== null && (
        <Button
          size="small"
          kind="quiet"
          onClick={props.onSelectMatching}
          aria-disabled={props.isSelectingAll}
        >
          {t('selectMatching', { text: props.matchingText })}
        </Button>
      )}
      <Button size="small" kind="quiet" onClick={props.onDeselect}>
        {t('deselect')}
      </Button>
      {whyNot !== null && <span className="ms-auto text-cell text-dim">{whyNot}</span>}
      <OperatorButton
        className={whyNot === null ? 'ms-auto' : ''}
        aria-haspopup="dialog"
        onClick={props.onClear}
      >
        {t('clear')}
      </OperatorButton>
    </div>
  );
}
