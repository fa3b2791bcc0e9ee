'use client';

import { Search } from 'lucide-react';
import { useState } from 'react';

interface SearchBoxProps {
  readonly label: string;
  readonly q: string;
  readonly onQ: (q: string) => void;
}

/** Narrows a list that is all here already, so it follows every key. */
export function SearchBox({ label, q, onQ }: SearchBoxProps) {
  const [text, setText] = useState(q);
  const [known, setKnown] = useState(q);
  // The URL changed by itself, or has taken over less than what was typed.
  if (known !== q) {
    setKnown(q);
    if (text.trim() !== q) setText(q);
  }
  return (
    <form
      role="search"
      className="relative w-full sm:w-80"
      onSubmit={(event) => event.preventDefault()}
    >
      <Search
        aria-hidden="true"
        size={15}
        className="pointer-events-none absolute top-2 left-2.5 text-dim"
      />
      <input
        type="search"
        value={text}
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        maxLength={512}
        dir="auto"
        onChange={({ target }) => {
          setText(target.value);
          onQ(target.value.trim());
        }}
        className="h-8 w-full rounded-control border border-control bg-surface ps-8 pe-2 placeholder:text-dim"
      />
    </form>
  );
}
