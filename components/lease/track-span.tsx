'use client';

import { createContext, use, useState, type ReactNode } from 'react';

import type { DrawnRow } from '@/lib/queries/still-rows';
import { spanFor, trackScale, type TrackScale } from '@/lib/queries/track-scale';

const ScaleContext = createContext<TrackScale>(trackScale(3_600_000));

/** The pattern of what is closed; every track refers to it by this id. */
export const hatchId = 'track-hatch';

/** The one axis that all tracks below are drawn on. */
export function useTrackScale(): TrackScale {
  return use(ScaleContext);
}

interface TrackSpanProps {
  readonly rows: readonly DrawnRow[];
  /** What the list is narrowed by, as one word: another list takes its own span. */
  readonly listKey: string;
  readonly children: ReactNode;
}

/** Takes the span that the leases need. It may grow while one looks, but not shrink: the axis must not breathe. */
export function TrackSpan({ rows, listKey, children }: TrackSpanProps) {
  const [kept, setKept] = useState({ scale: trackScale(600_000), listKey: '', rows });
  let current = kept;
  if (kept.listKey !== listKey || kept.rows !== rows) {
    const wanted = spanFor(rows.map(endFromNowMs));
    const isSame = kept.listKey === listKey && wanted <= kept.scale.spanMs;
    current = { scale: isSame ? kept.scale : trackScale(wanted), listKey, rows };
    setKept(current);
  }
  return (
    <ScaleContext value={current.scale}>
      <Hatch />
      {children}
    </ScaleContext>
  );
}

function Hatch() {
  return (
    <svg aria-hidden="true" width="0" height="0" className="absolute">
      <pattern
        id={hatchId}
        width="5"
        height="5"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <path d="M0 0v5" className="stroke-ink" strokeWidth="2.5" />
      </pattern>
    </svg>
  );
}

function endFromNowMs({ lock, anchor }: DrawnRow): number {
  return Date.parse(lock.expires_at) - anchor.serverMs;
}
