'use client';

import { useTranslations } from 'use-intl';

import { trackMarksMs } from '@/lib/queries/track-scale';

import { useTrackScale } from './track-span';

/** The labels of the shared axis, some of which are left out where it is narrow. */
export function TrackAxis() {
  const { spanMs, at } = useTrackScale();
  return (
    // A cell of a table can't be a container itself.
    <div className="@container absolute inset-0">
      <svg aria-hidden="true" className="size-full overflow-visible text-dim">
        {trackMarksMs(spanMs).map((ms) => (
          <g key={ms}>
            <line
              x1={`${at(ms)}%`}
              x2={`${at(ms)}%`}
              y1="86%"
              y2="100%"
              className={ms === 0 ? 'stroke-blue' : 'stroke-control'}
              strokeWidth={ms === 0 ? 1.5 : 1}
            />
            <text
              x={`${at(ms)}%`}
              y="60%"
              textAnchor="middle"
              className={`text-meta ${ms === 0 ? 'fill-blue font-strong' : 'fill-current font-normal'} ${leftOut(ms, spanMs)}`}
            >
              <Label ms={ms} />
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}

/** On a long axis the marks near now lie too close for their labels. */
function leftOut(ms: number, spanMs: number): string {
  if (spanMs > 600_000 && Math.abs(ms) === 10_000) return '@max-[32rem]:hidden';
  if (spanMs > 3_600_000 && Math.abs(ms) === 600_000) return '@max-[22rem]:hidden';
  return '';
}

/** A sign and one unit, as short as it can be: the marks lie close. */
function Label({ ms }: { readonly ms: number }) {
  const t = useTranslations('track');
  if (ms === 0) return t('now');
  const sign = ms < 0 ? '−' : '+';
  const n = Math.abs(ms);
  const unit = n < 60_000 ? 'seconds' : n < 3_600_000 ? 'minutes' : 'hours';
  const unitMs = { seconds: 1_000, minutes: 60_000, hours: 3_600_000 }[unit];
  return `${sign}${t(unit, { n: n / unitMs })}`;
}
