'use client';

import { Check, Copy } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslations } from 'use-intl';

import { Button } from '../ui/button';
import { copyText } from '../ui/copy-button';

interface OnceTextProps {
  readonly label: string;
  readonly text: string;
  /** The button's own words: "Copy the secret". */
  readonly copy: string;
  readonly isCommand?: boolean;
  readonly onCopied: () => void;
}

/** A text to take along, and whether that worked. Copying it by hand counts as well. */
export function OnceText({ label, text, copy, isCommand = false, onCopied }: OnceTextProps) {
  const t = useTranslations('once');
  const id = useId();
  const [result, setResult] = useState<boolean | null>(null);

  async function take() {
    const isCopied = await copyText(text);
    setResult(isCopied);
    if (isCopied) onCopied();
  }

  const Icon = result === true ? Check : Copy;
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span id={id} className="font-strong">
          {label}
        </span>
        <Button size="small" onClick={() => void take()}>
          <Icon aria-hidden="true" size={13} />
          {copy}
        </Button>
      </div>
      <pre
        tabIndex={0}
        role="group"
        aria-labelledby={id}
        onCopy={onCopied}
        className={`rounded-control border border-hair bg-ground p-3 font-mono text-cell ${isCommand ? 'overflow-x-auto' : 'break-all whitespace-pre-wrap select-all'}`}
      >
        {text}
      </pre>
      <span role="status" className={`text-meta ${result === false ? 'text-amber' : 'text-dim'}`}>
        {result === null ? '' : t(result ? 'copied' : 'copyFailed')}
      </span>
    </div>
  );
}
