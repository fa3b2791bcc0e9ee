'use client';

import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import type { EventOnWire } from '@/lib/contract/answers';

import { StateGlyph, type GlyphName } from '../lease/state-glyph';
import { Moment } from '../ui/moment';
import { UserText } from '../ui/user-text';
import { useDuration } from '../ui/use-times';

type Kind = EventOnWire['kind'];

const glyphs: Readonly<Record<Kind, GlyphName>> = {
  acquired: 'held',
  reacquired: 'held',
  claimed: 'held',
  released: 'expired',
  expired: 'expired',
  renewed: 'renewed',
  contended: 'asked',
  noticed: 'silent',
  force_released: 'forced',
  cleared: 'cleared',
  held: 'closed',
  reopened: 'reopened',
  release_requested: 'requested',
  signed_in: 'access',
  sign_in_failed: 'access',
  key_created: 'access',
  key_rotated: 'access',
  key_revoked: 'access',
  member_added: 'access',
  member_changed: 'access',
  member_removed: 'access',
};

function toneOf(kind: Kind): string {
  if (kind === 'force_released') return 'text-red';
  if (kind === 'contended') return 'text-violet';
  if (kind === 'expired') return 'text-spent';
  return '';
}

interface EventLineProps {
  readonly event: EventOnWire;
  /** What it happened to, where that is not plain from the page. */
  readonly children?: ReactNode;
}

/** One line of the history: when, what, whose lease, by whom and why. */
export function EventLine({ event, children }: EventLineProps) {
  const t = useTranslations('history');
  return (
    <li
      data-event={event.kind}
      title={event.request_id === null ? undefined : t('requestId', { id: event.request_id })}
      className="flex flex-wrap items-center gap-x-4 gap-y-0.5 border-b border-hair bg-surface px-3 py-1.5 text-cell sm:px-5"
    >
      <Moment at={event.at} className="w-32 shrink-0 text-dim" />
      <span className={`flex w-40 shrink-0 items-center gap-2 ${toneOf(event.kind)}`}>
        <StateGlyph name={glyphs[event.kind]} />
        {t(`kind.${event.kind}`)}
      </span>
      {children}
      <span className="min-w-0 break-all">
        <Who event={event} />
      </span>
      {event.fencing_token !== null && (
        <span className="text-dim">{t('fence', { fence: String(event.fencing_token) })}</span>
      )}
      {event.reason !== null && (
        <span className="min-w-0 break-words">
          “<UserText isProse>{event.reason}</UserText>”
        </span>
      )}
      <Extra event={event} />
    </li>
  );
}

/** The owner whose lease it was; where a person acted, the person first. */
function Who({ event }: { readonly event: EventOnWire }) {
  const t = useTranslations('history');
  const { actor, owner } = event;
  const isHold = event.kind === 'held' || event.kind === 'reopened';
  if (actor === null) return owner === null || isHold ? null : <UserText>{owner}</UserText>;
  const who = () => <UserText key="who">{actor}</UserText>;
  if (owner === null || isHold) return t.rich('by', { who });
  return t.rich('byOf', { who, owner: () => <UserText key="owner">{owner}</UserText> });
}

function Extra({ event }: { readonly event: EventOnWire }) {
  const t = useTranslations('history');
  const duration = useDuration();
  const previous = event.previous_owner;
  return (
    <>
      {event.kind === 'claimed' && previous !== null && previous !== event.owner && (
        <span className="text-dim">
          {t.rich('from', { owner: () => <UserText key="owner">{previous}</UserText> })}
        </span>
      )}
      {event.held_ms !== null && (
        <span className="text-dim">{t('heldFor', { duration: duration(event.held_ms) })}</span>
      )}
      {event.count !== null && event.count > 1 && (
        <span className="text-dim">{t('times', { n: event.count })}</span>
      )}
    </>
  );
}
