'use client';

import { Search } from 'lucide-react';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { useTranslations } from 'use-intl';

import { limits } from '@/lib/contract/limits';

interface SearchFieldProps {
  readonly q: string;
  readonly onQ: (q: string) => void;
  readonly ref: RefObject<HTMLInputElement | null>;
}

const typingMs = 250;

/** Search as one types; the URL follows when the fingers rest. */
export function SearchField({ q, onQ, ref }: SearchFieldProps) {
  const t = useTranslations('search');
  const [text, setText] = useState(q);
  const [known, setKnown] = useState(q);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  // The URL changed by itself, as by the browser's back button.
  if (known !== q) {
    setKnown(q);
    if (text.trim() !== q) setText(q);
  }
  useEffect(() => () => clearTimeout(timer.current), []);

  return (
    <form
      role="search"
      className="relative w-full sm:w-80"
      onSubmit={(event) => {
        event.preventDefault();
        clearTimeout(timer.current);
        onQ(text.trim());
      }}
    >
      <Search
        aria-hidden="true"
        size={15}
        className="pointer-events-none absolute top-2 left-2.5 text-dim"
      />
      <input
        ref={ref}
        type="search"
        value={text}
        aria-label={t('label')}
        placeholder={t('placeholder')}
        aria-keyshortcuts="/"
        autoComplete="off"
        spellCheck={false}
        maxLength={limits.resourceBytesMax}
        dir="auto"
        onChange={({ target }) => {
          setText(target.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => onQ(target.value.trim()), typingMs);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && text === '') event.currentTarget.blur();
        }}
        className="h-8 w-full rounded-control border border-control bg-surface ps-8 pe-2 placeholder:text-dim"
      />
    </form>
  );
}
