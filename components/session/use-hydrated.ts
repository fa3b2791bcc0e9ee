import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** Whether this page's scripts run: before that a form would be sent by the browser itself. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
