'use client';

import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import { patternsMax, type PatternsDraft } from '@/lib/queries/key-draft';

import { FormField, inputClass } from '../ui/form-field';

interface PatternsFieldProps {
  readonly text: string;
  readonly patterns: PatternsDraft;
  /** Whether it is time to say that there is none. */
  readonly isLeft: boolean;
  readonly refused: ReactNode;
  readonly onText: (text: string) => void;
  readonly onLeave: () => void;
}

/** One pattern a line, judged as it is typed; what is wrong names its line. */
export function PatternsField(props: PatternsFieldProps) {
  const { text, patterns, isLeft, refused, onText, onLeave } = props;
  const t = useTranslations('newKey');
  return (
    <FormField
      label={t('patterns')}
      hint={<Hint patterns={patterns} />}
      error={refused ?? errorOf(patterns, isLeft, t)}
    >
      {(control) => (
        <textarea
          {...control}
          name="patterns"
          value={text}
          onChange={({ target }) => onText(target.value)}
          onBlur={onLeave}
          rows={3}
          dir="auto"
          autoCapitalize="off"
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          className={`${inputClass} h-auto resize-y py-1.5 font-mono`}
        />
      )}
    </FormField>
  );
}

function errorOf(
  patterns: PatternsDraft,
  isLeft: boolean,
  t: ReturnType<typeof useTranslations<'newKey'>>,
): ReactNode {
  if (patterns.wrong.length > 0) {
    return (
      <ul>
        {patterns.wrong.map(({ line, problem }) => (
          <li key={line}>{t(`patternProblem.${problem}`, { line })}</li>
        ))}
      </ul>
    );
  }
  if (patterns.isTooMany) return t('tooManyPatterns', { max: patternsMax });
  return patterns.isEmpty && isLeft ? t('noPattern') : null;
}

/** How the patterns are understood. */
function Hint({ patterns: { patterns, wrong } }: { readonly patterns: PatternsDraft }) {
  const t = useTranslations('newKey');
  if (patterns.includes('*')) return <span className="text-amber">{t('everything')}</span>;
  if (patterns.length === 0 || wrong.length > 0) return t('patternsHint');
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).length;
  return t('understood', { exact: patterns.length - prefixes, prefixes });
}
