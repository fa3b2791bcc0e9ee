'use client';

import { useServerMs } from './server-clock';
import { useTimes } from './use-times';

/** A time as the API wrote it; its tooltip has the date, the zone and the instant itself. */
export function Moment({ at, className }: { readonly at: string; readonly className?: string }) {
  const times = useTimes();
  const nowMs = useServerMs();
  const ms = Date.parse(at);
  return (
    <time
      dateTime={at}
      title={times.full(ms)}
      className={`font-mono whitespace-nowrap ${className ?? ''}`}
    >
      {times.moment(ms, nowMs)}
    </time>
  );
}
