'use client';

import { useEffect } from 'react';

/**
 * What opens at the first click of a double click lies under the pointer at the second, which was not meant for it: it
 * would dismiss the question, or answer it. A press counts, inside and outside, once its run of clicks began after opening.
 */
export function useOpeningPress(): void {
  useEffect(() => {
    let hasOwnRun = false;
    function dropRestOfRun(event: MouseEvent) {
      // `detail` counts the clicks of a run; 0 is one that no pointer made.
      if (event.type === 'mousedown' && event.detail === 1) hasOwnRun = true;
      if (hasOwnRun || event.detail < 2) return;
      event.preventDefault();
      event.stopPropagation();
    }
    // At the window, and so before all that listens at the document.
    for (const type of pressEvents) window.addEventListener(type, dropRestOfRun, true);
    return () => {
      for (const type of pressEvents) window.removeEventListener(type, dropRestOfRun, true);
    };
  }, []);
}

const pressEvents = ['mousedown', 'click'] as const;
