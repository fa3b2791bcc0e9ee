'use client';

import { createContext, use, useMemo, type ReactNode } from 'react';

import { serverMsAt, type ServerAnchor } from '@/lib/queries/server-anchor';

import { useTickMs } from './ticker';

interface Clock {
  readonly anchor: ServerAnchor | null;
  readonly isFrozen: boolean;
}

const ClockContext = createContext<Clock>({ anchor: null, isFrozen: true });

interface ServerClockProps extends Clock {
  readonly children: ReactNode;
}

/** The server's time for what is below, from its last answer on; frozen there while no newer answer comes. */
export function ServerClock({ anchor, isFrozen, children }: ServerClockProps) {
  const clock = useMemo(() => ({ anchor, isFrozen }), [anchor, isFrozen]);
  return <ClockContext value={clock}>{children}</ClockContext>;
}

/** The server's time in milliseconds since the epoch, anew each second; null before its first answer. */
export function useServerMs(): number | null {
  const { anchor, isFrozen } = use(ClockContext);
  const tickMs = useTickMs();
  if (anchor === null) return null;
  return isFrozen ? anchor.serverMs : serverMsAt(anchor, tickMs);
}
