'use client';

import { useEffect } from 'react';

/** The browser asks before the page is left or reloaded: for what is shown once, and while it is on its way. */
export function useStayOnPage(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const stay = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', stay);
    return () => window.removeEventListener('beforeunload', stay);
  }, [isOn]);
}
