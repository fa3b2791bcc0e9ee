'use client';

import { Pause, Play } from 'lucide-react';
import { useTranslations } from 'use-intl';

import { StateGlyph } from '../lease/state-glyph';
import { togglePaused } from '../ui/use-paused';
import { useTimes } from '../ui/use-times';
import { useLiveEvents } from './use-live-events';

/** What a page's data is worth: current, or of an earlier moment and why. */
export type Liveness =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'unreachable' }
  | {
      readonly kind: 'live' | 'reconnecting' | 'paused';
      /** The server's time of what is shown, in milliseconds. */
      readonly asOfMs: number;
    };

interface LivenessOptions {
  readonly asOfMs: number | null;
  readonly isFailing: boolean;
  readonly isPaused: boolean;
}

export function livenessOf({ asOfMs, isFailing, isPaused }: LivenessOptions): Liveness {
  if (asOfMs === null) return { kind: isFailing ? 'unreachable' : 'connecting' };
  if (isPaused) return { kind: 'paused', asOfMs };
  return { kind: isFailing ? 'reconnecting' : 'live', asOfMs };
}

export function LiveStatus({ liveness }: { readonly liveness: Liveness }) {
  const t = useTranslations('live');
  const stream = useLiveEvents();
  const isPaused = liveness.kind === 'paused';
  const Icon = isPaused ? Play : Pause;
  return (
    <div className="flex items-center gap-1" data-stream={stream ?? 'none'}>
      <LiveText liveness={liveness} isStreaming={stream === 'live'} />
      <button
        type="button"
        onClick={togglePaused}
        aria-pressed={isPaused}
        aria-label={t('pause')}
        title={isPaused ? t('resumeHint') : t('pauseHint')}
        className="inline-flex size-7 items-center justify-center rounded-control border border-transparent hover:border-control aria-pressed:border-control"
      >
        <Icon aria-hidden="true" size={14} fill="currentColor" strokeWidth={1} />
      </button>
    </div>
  );
}

interface LiveTextProps {
  readonly liveness: Liveness;
  /** Changes come as they happen; otherwise the page asks for them every few seconds. */
  readonly isStreaming: boolean;
}

function LiveText({ liveness, isStreaming }: LiveTextProps) {
  const t = useTranslations('live');
  const times = useTimes();
  switch (liveness.kind) {
    case 'connecting':
      return <span className="text-cell text-dim">{t('connecting')}…</span>;
    case 'unreachable':
      return (
        <span className="inline-flex items-center gap-1.5 text-cell text-amber">
          <StateGlyph name="expired" />
          {t('unreachable')}
        </span>
      );
    case 'live':
      return (
        <span
          className="inline-flex items-center gap-1.5 text-cell"
          data-liveness="live"
          title={isStreaming ? t('streamed') : t('polled')}
        >
          <StateGlyph name="held" />
          <span className="font-strong">{t('live')}</span>{' '}
          <span className="text-dim max-sm:sr-only">
            {t('asOf', { time: times.clock(liveness.asOfMs) })}
          </span>
        </span>
      );
    case 'reconnecting':
      return (
        <span
          className="inline-flex items-center gap-1.5 text-cell text-amber"
          data-liveness="reconnecting"
        >
          <StateGlyph name="expired" />
          {t('reconnecting', { time: times.clock(liveness.asOfMs) })}
        </span>
      );
    case 'paused':
      return (
        <span className="text-cell font-strong" data-liveness="paused">
          <span className="max-sm:hidden">
            {t('pausedAt', { time: times.clock(liveness.asOfMs) })}
          </span>
          <span className="sm:hidden">{times.clock(liveness.asOfMs)}</span>
        </span>
      );
  }
}
