'use client';

import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for those who don't see where the button stands: "Copy the name". */
  readonly label: string;
  readonly className?: string;
}

const shownMs = 1_500;

export function CopyButton({ text, label, className }: CopyButtonProps) {
  const t = useTranslations('copy');
  const [isCopied, setIsCopied] = useState(false);

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const Icon = isCopied ? Check : Copy;
  return (
    <>
      <button
        type="button"
        aria-label={label}
        title={label}
        onClick={() => void copyText(text).then(setIsCopied)}
        className={`inline-flex size-6 shrink-0 items-center justify-center rounded-control text-dim hover:bg-hair/60 hover:text-ink ${className ?? ''}`}
      >
        <Icon aria-hidden="true" size={14} />
      </button>
      <span role="status" className="sr-only">
        {isCopied ? t('done') : ''}
      </span>
    </>
  );
}

/** Resolves to whether it worked: the clipboard is there on secure origins alone, so there is a second way. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  (document.querySelector('[data-overlay]') ?? document.body).append(area);
  area.select();
  // Deprecated, and the only way on an origin without TLS.
  const isCopied = Reflect.apply(copyCommand, document, ['copy']);
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

function copyCommand(this: Document, command: string): boolean {
  const execute: unknown = Reflect.get(this, 'execCommand');
  return typeof execute === 'function' && Reflect.apply(execute, this, [command]) === true;
}
