'use client';

import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { CutText } from '../ui/cut-text';
import { HiddenCharactersMark } from '../ui/hidden-characters';
import { Popover } from '../ui/popover';
import { UserText } from '../ui/user-text';

/** The first pattern of a key, and all of them on demand: there may be fifty. */
export function PatternsCell({ patterns }: { readonly patterns: readonly string[] }) {
  const t = useTranslations('apiKeys');
  const buttonRef = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [first = ''] = patterns;
  return (
    <div className="flex min-w-0 items-center gap-2">
      <CutText text={first} />
      <HiddenCharactersMark text={first} />
      {patterns.length > 1 && (
        <button
          ref={buttonRef}
          type="button"
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
          className="h-6 shrink-0 rounded-control border border-control px-1.5 whitespace-nowrap hover:bg-ground"
        >
          {t('morePatterns', { n: patterns.length - 1 })}
        </button>
      )}
      {isOpen && (
        <Popover
          title={t('allPatterns', { n: patterns.length })}
          anchor={buttonRef}
          onClose={() => setOpen(false)}
          finalFocus={() => buttonRef.current ?? true}
        >
          <ul tabIndex={0} className="flex max-h-80 flex-col gap-1 overflow-y-auto text-cell">
            {patterns.map((pattern) => (
              <li key={pattern}>
                <UserText>{pattern}</UserText>
                <HiddenCharactersMark text={pattern} />
              </li>
            ))}
          </ul>
        </Popover>
      )}
    </div>
  );
}
