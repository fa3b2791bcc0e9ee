'use client';

import { useTranslations } from 'use-intl';

import type { LockOnWire } from '@/lib/contract/answers';
import { nowAt, trackMarksMs } from '@/lib/queries/track-scale';

import { useServerMs } from '../ui/server-clock';
import { useTimes } from '../ui/use-times';
import { trackShape, type TrackShape } from './track-shape';
import { hatchId, useTrackScale } from './track-span';

/**
 * One lease on the axis that all rows share. The picture is for the eye alone: beside it stands what it says, in words.
 */
export function LeaseTrack({ lock }: { readonly lock: LockOnWire }) {
  const t = useTranslations('track');
  const times = useTimes();
  const scale = useTrackScale();
  const nowMs = useServerMs();
  if (nowMs === null) return null;
  const shape = trackShape(lock, scale, nowMs);
  const moment = (at: string) => times.moment(Date.parse(at), nowMs);
  const zone = times.zoneLabel;
  const told = [
    t(lock.state === 'expired' ? 'ended' : 'ends', { time: moment(lock.expires_at), zone }),
    t('acquired', { time: moment(lock.acquired_at), zone }),
    t('fence', { fence: String(lock.fencing_token) }),
  ];
  return (
    <>
      <span className="sr-only">{told[0]}</span>
      <svg
        aria-hidden="true"
        data-track={shape.word}
        className={`absolute inset-x-0 top-0 h-[calc(100%+1px)] w-full ${toneOf(shape.word)}`}
      >
        <title>{told.join('\n')}</title>
        <rect width="100%" height="100%" fill="none" pointerEvents="all" />
        <Grid />
        <svg y="50%" overflow="visible">
          <Lease shape={shape} />
        </svg>
      </svg>
    </>
  );
}

function toneOf(word: TrackShape['word']): string {
  if (word === 'expired') return 'text-spent';
  return word === 'silent' || word === 'expiring' ? 'text-amber' : 'text-ink';
}

/** The marks of the axis, carried through every row, and now over them. */
function Grid() {
  const { spanMs, at } = useTrackScale();
  return (
    <>
      {trackMarksMs(spanMs).map((ms) => (
        <line
          key={ms}
          x1={`${at(ms)}%`}
          x2={`${at(ms)}%`}
          y1="0"
          y2="100%"
          className={ms === 0 ? 'stroke-blue' : 'stroke-hair forced-colors:hidden'}
          strokeWidth={ms === 0 ? 1.5 : 1}
        />
      ))}
    </>
  );
}

function Lease({ shape }: { readonly shape: TrackShape }) {
  switch (shape.word) {
    case 'expired':
      return <Expired shape={shape} />;
    case 'closed':
      return <Closed shape={shape} />;
    case 'silent':
      return <Silent shape={shape} />;
    case 'held':
    case 'expiring':
      return <Held shape={shape} />;
  }
}

interface ShapeProps {
  readonly shape: TrackShape;
}

/** Thin while it was renewed, thick for what is granted now: from the last renewal, or the grant, to its end. */
function Held({ shape }: ShapeProps) {
  const { from, renewed, to } = shape;
  return (
    <>
      <Past shape={shape} />
      <Bar from={renewed ?? from} to={to} />
      <End shape={shape} />
    </>
  );
}

/** Since the last sign of life nothing but a dashed line: it is granted still, but by nobody who shows. */
function Silent({ shape }: ShapeProps) {
  const { from, renewed, to } = shape;
  return (
    <>
      <Past shape={shape} />
      <line
        x1={`${renewed ?? from}%`}
        x2={`${to}%`}
        y1="0"
        y2="0"
        stroke="currentColor"
        strokeWidth="4"
        strokeDasharray="4 3"
      />
      <End shape={shape} />
    </>
  );
}

function Past({ shape: { from, renewed, isBefore } }: ShapeProps) {
  if (renewed === null) return isBefore ? null : <Tick at={from} from={-5} to={5} />;
  return (
    <>
      <line
        x1={`${from}%`}
        x2={`${renewed}%`}
        y1="0"
        y2="0"
        stroke="currentColor"
        strokeWidth="1.5"
      />
      {!isBefore && <Tick at={from} from={-3} to={3} />}
      <Tick at={renewed} from={-7} to={3} />
    </>
  );
}

/** Outlined and empty: nobody holds it. */
function Expired({ shape: { from, to } }: ShapeProps) {
  return (
    <rect
      x={`${from}%`}
      y="-3"
      width={`${Math.max(0.6, to - from)}%`}
      height="6"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.25"
    />
  );
}

/** Hatched from now on: shut. */
function Closed({ shape }: ShapeProps) {
  const { from, to } = shape;
  return (
    <>
      <line x1={`${from}%`} x2={`${nowAt}%`} y1="0" y2="0" stroke="currentColor" />
      <rect
        x={`${nowAt}%`}
        y="-6"
        width={`${Math.max(0.6, to - nowAt)}%`}
        height="12"
        fill={`url(#${hatchId})`}
        stroke="currentColor"
      />
      <End shape={shape} />
    </>
  );
}

function Bar({ from, to }: { readonly from: number; readonly to: number }) {
  return <rect x={`${from}%`} y="-2" width={`${to - from}%`} height="4" fill="currentColor" />;
}

/** Where it ends: a notch, or an arrow where that is beyond the edge. */
function End({ shape: { to, isBeyond } }: ShapeProps) {
  if (!isBeyond) return <Tick at={to} from={-6} to={6} />;
  return (
    <svg x={`${to}%`} overflow="visible">
      <path d="M-7 -6 0 0 -7 6z" fill="currentColor" />
    </svg>
  );
}

function Tick({
  at,
  from,
  to,
}: {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}) {
  return (
    <line x1={`${at}%`} x2={`${at}%`} y1={from} y2={to} stroke="currentColor" strokeWidth="1.5" />
  );
}
