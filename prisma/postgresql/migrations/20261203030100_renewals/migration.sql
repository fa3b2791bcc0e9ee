-- Up to when, and to which count, the renewals of a lease are on record. From before the lease was acquired: not at all.
ALTER TABLE "distributed_locks" ADD COLUMN "renewals_told_at" TIMESTAMPTZ(3);
ALTER TABLE "distributed_locks" ADD COLUMN "renewals_told" INTEGER;

-- How many renewals of a lease the history should be told of, with the one of this moment; null when it is not time yet.
CREATE FUNCTION holdfast_renewals_due(l distributed_locks, renewed_now timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN greatest(l.acquired_at, l.renewals_told_at) <= renewed_now - interval '60 seconds'
    THEN l.renew_count + 1 - CASE WHEN l.renewals_told_at > l.acquired_at THEN l.renewals_told ELSE 0 END END
$$;

-- As before; and the same change of the row decides whether the history is to be told. It is told afterwards, by whoever
-- renewed, so that a renewal itself writes its row and nothing else.
CREATE OR REPLACE FUNCTION holdfast_renew(resources text[], owners text[], clients text[], ttls_ms bigint[], tokens bigint[],
  request_ids text[], wait_ms integer) RETURNS json LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
SET jit = off AS $$
DECLARE
  renewed_now timestamptz;
  verdicts json;
BEGIN
  PERFORM holdfast_begin(wait_ms);
  PERFORM holdfast_take_rows(resources);
  renewed_now := holdfast_now();

  WITH seen AS MATERIALIZED (
    SELECT r.*, l AS was, holdfast_owns(l, r.owner, r.client, r.token) AS is_own
    FROM unnest(resources, owners, clients, ttls_ms, tokens, request_ids) WITH ORDINALITY
      AS r(resource, owner, client, ttl_ms, token, request_id, seat)
    LEFT JOIN distributed_locks l ON l.resource = r.resource
  ), renewed AS (
    UPDATE distributed_locks l SET
      expires_at = greatest(l.expires_at, renewed_now + holdfast_span(s.ttl_ms)), renewed_at = renewed_now,
      renew_count = l.renew_count + 1, ttl_ms = s.ttl_ms,
      renewals_told_at = CASE WHEN holdfast_renewals_due(l, renewed_now) IS NULL THEN l.renewals_told_at ELSE renewed_now END,
      renewals_told = CASE WHEN holdfast_renewals_due(l, renewed_now) IS NULL THEN l.renewals_told ELSE l.renew_count + 1 END
    FROM seen s
    WHERE l.resource = s.resource AND holdfast_owns(l, s.owner, s.client, s.token) AND holdfast_is_live(l, renewed_now)
    RETURNING s.seat, holdfast_lease(l) AS lease,
      CASE WHEN l.renewals_told_at = renewed_now THEN holdfast_renewals_due((s.was), renewed_now) END AS due
  ), evicted AS MATERIALIZED (
    SELECT s.seat, s.request_id, e.*
    FROM seen s CROSS JOIN LATERAL (
      SELECT e.* FROM evicted_leases e
      WHERE e.resource = s.resource AND e.owner = s.owner AND holdfast_same_client(e.client, s.client)
        AND e.evicted_at > renewed_now - interval '24 hours'
        AND e.fencing_token = coalesce(s.token, (
          SELECT max(later.fencing_token) FROM lock_events later
          WHERE later.resource = s.resource AND later.owner = s.owner
            AND holdfast_same_client(later.client, s.client)
            AND later.kind IN ('acquired', 'reacquired', 'claimed')))) e
    WHERE NOT s.is_own
  ), noticed AS (
    UPDATE evicted_leases l SET noticed_at = renewed_now
    FROM evicted e WHERE l.fencing_token = e.fencing_token AND l.noticed_at IS NULL
    RETURNING l.resource, l.owner, l.client, l.fencing_token, e.request_id
  ), told AS (
    INSERT INTO lock_events (at, kind, resource, owner, fencing_token, client, request_id)
    SELECT renewed_now, 'noticed', n.resource, n.owner, n.fencing_token, n.client, n.request_id FROM noticed n
  )
  SELECT coalesce(json_agg(CASE
    WHEN n.seat IS NOT NULL THEN json_build_array(s.seat - 1, 'renewed', n.lease, n.due)
    WHEN s.is_own THEN json_build_array(s.seat - 1, 'expired')
    ELSE json_build_array(s.seat - 1, CASE WHEN (s.was).id IS NULL THEN 'not-found' ELSE 'lost' END,
      CASE WHEN e.seat IS NOT NULL THEN json_build_array(e.evicted_by, e.reason, holdfast_ms(e.evicted_at)) END) END), '[]')
  INTO verdicts
  FROM seen s LEFT JOIN renewed n ON n.seat = s.seat LEFT JOIN evicted e ON e.seat = s.seat;
  RETURN json_build_array(holdfast_ms(renewed_now), verdicts);
END $$;

-- Tells the history of renewals, as the rows have decided. Nobody waits for it.
CREATE FUNCTION holdfast_note_renewals(resources text[], owners text[], clients text[], tokens bigint[], counts integer[],
  ats_ms bigint[], expiries_ms bigint[], helds_ms bigint[], wait_ms integer) RETURNS json LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM holdfast_begin_notes(wait_ms);
  INSERT INTO lock_events (at, kind, resource, owner, client, fencing_token, count, expires_at, held_ms)
  SELECT 'epoch'::timestamptz + holdfast_span(r.at_ms), 'renewed', r.resource, r.owner, r.client, r.token, r.count,
    'epoch'::timestamptz + holdfast_span(r.expires_ms), r.held_ms
  FROM unnest(resources, owners, clients, tokens, counts, ats_ms, expiries_ms, helds_ms)
    AS r(resource, owner, client, token, count, at_ms, expires_ms, held_ms);
  RETURN to_json(true);
END $$;
