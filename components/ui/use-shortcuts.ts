'use client';

import { useEffect, useEffectEvent } from 'react';

/** A key as in `KeyboardEvent.key`, and what it does; returning false leaves the key to the browser. */
export type Shortcuts = Readonly<Record<string, (() => boolean) | (() => void)>>;

/** Single keys, taken where nobody is typing and no dialog is open. */
export function useShortcuts(shortcuts: Shortcuts, isOn: boolean): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (isTakenElsewhere(event)) return;
    const act = shortcuts[event.key];
    if (act === undefined || act() === false) return;
    event.preventDefault();
  });

  useEffect(() => {
    if (!isOn) return;
    const listener = (event: KeyboardEvent) => onKeyDown(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, [isOn]);
}

function isTakenElsewhere(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return true;
  if (event.repeat && !['j', 'k'].includes(event.key)) return true;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (!(event.target instanceof Element)) return false;
  if (document.querySelector('[data-overlay]') !== null) return true;
  if (event.target.closest('input:not([type=checkbox]), textarea, select, [contenteditable]')) {
    return true;
  }
  const presses = event.target.closest('button, input, summary, [role=tab]') !== null;
  return presses && (event.key === ' ' || event.key === 'Enter');
}
