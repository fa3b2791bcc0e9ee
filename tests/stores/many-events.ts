import type { EventsFilter } from '@/lib/locks/trail';

const startMs = Date.UTC(2026, 4, 1);
const count = 100_000;

/**
 * A history as a busy service has it, on PostgreSQL, whose plans depend on what there is: five kinds, of which nearly all
 * are two; some hundred clients; an operator in one event of a hundred.
 */
export const manyEventsSql = `INSERT INTO lock_events (at, kind, resource, owner, client, actor)
  SELECT 'epoch'::timestamptz + holdfast_span(${startMs} + n * 10),
    CASE WHEN n % 100 = 0 THEN 'force_released' WHEN n % 1000 = 1 THEN 'key_created' WHEN n % 2 = 0 THEN 'acquired'
      ELSE 'released' END,
    'job:' || n % 100, 'owner', 'client-' || n % 300, CASE WHEN n % 100 = 0 THEN 'ann' END
  FROM generate_series(1, ${count}) n`;

/** The place of one in the middle. */
export const middle = { atMs: startMs + (count / 2) * 10, id: String(count / 2) };

interface SingleFilter {
  readonly title: string;
  readonly filter: Partial<EventsFilter>;
  /** What it must be read by. */
  readonly index: string;
}

const byTime = 'lock_events_at_id_idx';

/** Each filter alone. */
export const singleFilters: readonly SingleFilter[] = [
  { title: 'none', filter: {}, index: byTime },
  { title: 'since', filter: { sinceMs: startMs + 500_000 }, index: byTime },
  { title: 'until', filter: { untilMs: startMs + 500_000 }, index: byTime },
  { title: 'kind', filter: { kinds: ['key_created'] }, index: 'lock_events_kind_at_id_idx' },
  {
    title: 'kinds',
    filter: { kinds: ['key_created', 'force_released'] },
    index: 'lock_events_kind_at_id_idx',
  },
  { title: 'most kinds', filter: { kinds: ['acquired', 'released'] }, index: byTime },
  { title: 'actor', filter: { actor: 'ann' }, index: 'lock_events_actor_at_id_idx' },
  { title: 'client', filter: { client: 'client-7' }, index: 'lock_events_client_at_id_idx' },
  {
    title: 'resource',
    filter: { resource: { kind: 'exact', name: 'job:7' } },
    index: 'lock_events_resource_id_idx',
  },
  { title: 'prefix', filter: { resource: { kind: 'prefix', prefix: 'job:7' } }, index: byTime },
  {
    title: 'visible',
    filter: { visible: [{ kind: 'prefix', prefix: 'job:7' }] },
    index: byTime,
  },
];
