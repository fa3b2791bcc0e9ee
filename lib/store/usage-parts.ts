import { notableKinds } from '../locks/usage';

/** SQL that the databases share to tell of usage. */

export interface UsageDialect {
  readonly ms: (time: string) => string;
  readonly jsonArray: string;
}

/** An event `e` as `[at, kind, resource, held, count, whether the end before it was told]`. */
export function usageEventJson({ ms, jsonArray }: UsageDialect): string {
  return `${jsonArray}(${ms('e.at')}, e.kind, e.resource, e.held_ms, coalesce(e.count, 0),
    CASE WHEN e.kind = 'claimed' AND (SELECT p.kind FROM lock_events p WHERE p.resource = e.resource AND p.id < e.id
      AND p.kind NOT IN ('renewed', 'contended', 'noticed', 'release_requested') ORDER BY p.id DESC LIMIT 1) = 'expired'
    THEN 1 ELSE 0 END)`;
}

/** The newest events of each notable kind in a time. */
export function notableSql(
  { since, until, max }: Readonly<Record<'since' | 'until' | 'max', string>>,
  json: string,
): string {
  return notableKinds
    .map(
      (kind) => `SELECT * FROM (SELECT ${json} AS event FROM lock_events e
        WHERE e.kind = '${kind}' AND e.at >= ${since} AND e.at < ${until} ORDER BY e.at DESC, e.id DESC LIMIT ${max}) ${kind}`,
    )
    .join(' UNION ALL ');
}
