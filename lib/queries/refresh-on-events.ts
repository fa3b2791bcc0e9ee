import type { QueryClient } from '@tanstack/react-query';

import type { LiveChange } from './event-connection';

/** However much happens, what is shown is asked for again no more often than this. */
const refreshEveryMs = 800;
/** So many locks are refreshed each for itself; beyond that, all of them. */
const resourcesMax = 50;

/** Asks again for what a change is about: at once, or as soon as the last time is long enough ago and answered. */
export function createRefresher(queryClient: QueryClient): (change: LiveChange) => void {
  const resources = new Set<string>();
  let isAll = false;
  let isBusy = false;

  async function refresh(): Promise<void> {
    isBusy = true;
    while (isAll || resources.size > 0) {
      const keys = isAll
        ? [['locks'], ['lock']]
        : [['locks'], ...[...resources].map((resource) => ['lock', resource])];
      isAll = false;
      resources.clear();
      const asked = keys.map((queryKey) => queryClient.invalidateQueries({ queryKey }));
      await Promise.allSettled([...asked, rest()]);
    }
    isBusy = false;
  }

  return (change) => {
    if (change.kind === 'reset' || resources.size >= resourcesMax) isAll = true;
    else resources.add(change.resource);
    if (!isBusy) void refresh();
  };
}

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, refreshEveryMs));
}
