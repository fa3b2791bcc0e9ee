'use client';

import { useEffect, useRef, type ReactNode } from 'react';
import { createPortal } from 'react-dom';

interface CoverProps {
  readonly title: string;
  readonly children: ReactNode;
}

/**
 * A question over everything, also over a dialog that is open: the browser's own modal layer, which makes the rest of the
 * page inert without taking anything from it. It can't be dismissed, and what lies beneath does not close meanwhile.
 */
export function Cover({ title, children }: CoverProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    const focused = document.activeElement;
    dialog.showModal();
    dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => {
      dialog.close();
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus();
    };
  }, []);

  return createPortal(
    <dialog
      ref={ref}
      data-cover=""
      data-overlay=""
      aria-labelledby="cover-title"
      onCancel={(event) => event.preventDefault()}
      // A browser closes it all the same when Esc is pressed twice.
      onClose={(event) => {
        if (event.currentTarget.isConnected) event.currentTarget.showModal();
      }}
      className="m-auto w-[26rem] max-w-[calc(100vw-2rem)] rounded-dialog border border-control bg-surface text-ink shadow-overlay backdrop:bg-shade"
    >
      <div className="flex flex-col gap-4 p-5">
        <h2 id="cover-title" className="text-title font-strong">
          {title}
        </h2>
        {children}
      </div>
    </dialog>,
    document.body,
  );
}

/** Whether a cover lies over the page: what lies beneath must keep what was typed into it. */
export function isCovered(): boolean {
  return document.querySelector('dialog[data-cover][open]') !== null;
}
