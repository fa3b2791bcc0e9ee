'use client';

import { useTimes, useDuration } from '../ui/use-times';

/** A span of time in its largest unit alone: beside a date nobody needs the seconds. */
export function useCoarseDuration(): (ms: number) => string {
  const duration = useDuration();
  return (ms) => {
    const unit = unitsMs.find((known) => ms >= known) ?? 1_000;
    return duration(Math.floor(ms / unit) * unit);
  };
}

const unitsMs = [86_400_000, 3_600_000, 60_000] as const;

interface TimeTextProps {
  readonly at: string;
  readonly children: string;
}

/** Words for a time, with the time itself in its tooltip. */
export function TimeText({ at, children }: TimeTextProps) {
  const times = useTimes();
  return (
    <time dateTime={at} title={times.full(Date.parse(at))} className="whitespace-nowrap">
      {children}
    </time>
  );
}
