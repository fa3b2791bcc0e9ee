-- The plans of the verbs are made once for each connection, often while the tables are empty, and kept. An empty table
-- makes any index look as good as another, so a verb that compared expires_at with its clock could be given a walk over
-- the ends of all leases, whose cost then grew with every lock until the server's next ANALYZE. From here on the verbs
-- find rows by their names alone.

-- Whether a lease is not over at that time. Written so that no index on expires_at answers it.
CREATE FUNCTION holdfast_is_live(l distributed_locks, read_at timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT l.expires_at - read_at > interval '0'
$$;

-- Grants each free or expired name, and each owner its own anew. Of a lock that another holds nothing is written, no row
-- is taken, and the answer is the holder. Seats without an entry met somebody who keeps to other rules than these.
CREATE OR REPLACE FUNCTION holdfast_acquire(resources text[], owners text[], clients text[], ttls_ms bigint[], metadatas text[],
  request_ids text[], wait_ms integer) RETURNS json LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
SET jit = off AS $$
DECLARE
  read_at timestamptz := holdfast_now();
  granted_at timestamptz;
  denied_seats bigint[];
  denials json[];
  wanted text[];
  verdicts json[];
BEGIN
  IF pg_is_in_recovery() THEN
    RAISE EXCEPTION 'a replica knows only what was' USING ERRCODE = 'read_only_sql_transaction';
  END IF;

  SELECT coalesce(array_agg(r.seat), '{}'), coalesce(array_agg(json_build_array(r.seat - 1, 0, holdfast_lease(l))), '{}')
  INTO denied_seats, denials
  FROM unnest(resources, owners, clients) WITH ORDINALITY AS r(resource, owner, client, seat)
  JOIN distributed_locks l ON l.resource = r.resource
  WHERE holdfast_is_live(l, read_at) AND NOT holdfast_owns(l, r.owner, r.client, NULL);
  IF cardinality(denied_seats) = cardinality(resources) THEN
    RETURN json_build_array(holdfast_ms(read_at), to_json(denials));
  END IF;

  wanted := ARRAY(SELECT r.resource FROM unnest(resources) WITH ORDINALITY AS r(resource, seat)
    WHERE r.seat <> ALL (denied_seats));
  PERFORM holdfast_begin(wait_ms);
  PERFORM holdfast_take_names(wanted);
  PERFORM holdfast_take_rows(wanted);
  granted_at := holdfast_now();

  WITH seen AS MATERIALIZED (
    SELECT r.*, l AS was
    FROM unnest(resources, owners, clients, ttls_ms, metadatas, request_ids) WITH ORDINALITY
      AS r(resource, owner, client, ttl_ms, metadata, request_id, seat)
    LEFT JOIN distributed_locks l ON l.resource = r.resource
    WHERE r.seat <> ALL (denied_seats)
  ), granted AS (
    INSERT INTO distributed_locks AS d
      (resource, owner, client, acquired_at, expires_at, ttl_ms, fencing_token, metadata)
    SELECT s.resource, s.owner, s.client, granted_at, granted_at + holdfast_span(s.ttl_ms), s.ttl_ms,
      nextval('fencing_tokens'), s.metadata
    FROM seen s
    WHERE (s.was).id IS NULL OR (s.was).expires_at <= granted_at OR holdfast_owns(s.was, s.owner, s.client, NULL)
    ON CONFLICT (resource) DO UPDATE SET
      owner = excluded.owner, client = excluded.client, acquired_at = excluded.acquired_at,
      expires_at = excluded.expires_at, renewed_at = NULL, renew_count = 0, ttl_ms = excluded.ttl_ms,
      fencing_token = excluded.fencing_token, metadata = excluded.metadata, hold_name = NULL, hold_reason = NULL,
      release_requested_by = NULL, release_requested_reason = NULL, release_requested_at = NULL
    WHERE d.expires_at <= excluded.acquired_at OR holdfast_owns(d, excluded.owner, excluded.client, NULL)
    RETURNING d.id, d.resource, d.expires_at, d.fencing_token
  ), told AS (
    INSERT INTO lock_events
      (at, kind, resource, owner, fencing_token, expires_at, previous_owner, client, held_ms, request_id)
    SELECT granted_at,
      CASE WHEN (s.was).id IS NULL THEN 'acquired' WHEN (s.was).expires_at > granted_at THEN 'reacquired'
        ELSE 'claimed' END,
      s.resource, s.owner, g.fencing_token, g.expires_at, (s.was).owner, s.client,
      CASE WHEN (s.was).id IS NOT NULL THEN holdfast_held_ms(s.was, granted_at) END, s.request_id
    FROM granted g JOIN seen s ON s.resource = g.resource
  )
  SELECT array_agg(CASE
    WHEN g.id IS NOT NULL THEN json_build_array(s.seat - 1, 1, g.id, holdfast_ms(granted_at), g.fencing_token)
    ELSE json_build_array(s.seat - 1, 0, holdfast_lease(s.was)) END)
  INTO verdicts
  FROM seen s LEFT JOIN granted g ON g.resource = s.resource
  WHERE g.id IS NOT NULL OR (s.was).id IS NOT NULL;
  RETURN json_build_array(holdfast_ms(read_at), to_json(denials || verdicts));
END $$;

-- Extends what each caller still holds, and changes nothing else; never inserts. Whoever was evicted by a person in the
-- last day, and was not granted the lock again since, is told by whom; that it noticed is written down the first time.
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
      renew_count = l.renew_count + 1, ttl_ms = s.ttl_ms
    FROM seen s
    WHERE l.resource = s.resource AND holdfast_owns(l, s.owner, s.client, s.token) AND holdfast_is_live(l, renewed_now)
    RETURNING s.seat, holdfast_lease(l) AS lease
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
    WHEN n.seat IS NOT NULL THEN json_build_array(s.seat - 1, 'renewed', n.lease)
    WHEN s.is_own THEN json_build_array(s.seat - 1, 'expired')
    ELSE json_build_array(s.seat - 1, CASE WHEN (s.was).id IS NULL THEN 'not-found' ELSE 'lost' END,
      CASE WHEN e.seat IS NOT NULL THEN json_build_array(e.evicted_by, e.reason, holdfast_ms(e.evicted_at)) END) END), '[]')
  INTO verdicts
  FROM seen s LEFT JOIN renewed n ON n.seat = s.seat LEFT JOIN evicted e ON e.seat = s.seat;
  RETURN json_build_array(holdfast_ms(renewed_now), verdicts);
END $$;

-- Ends what each caller still holds. Late, twice or by another: nothing is written.
CREATE OR REPLACE FUNCTION holdfast_release(resources text[], owners text[], clients text[], tokens bigint[], request_ids text[],
  wait_ms integer) RETURNS json LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
SET jit = off AS $$
DECLARE
  released_at timestamptz;
  verdicts json;
BEGIN
  PERFORM holdfast_begin(wait_ms);
  PERFORM holdfast_take_rows(resources);
  released_at := holdfast_now();

  WITH seen AS MATERIALIZED (
    SELECT r.*, l.id, holdfast_owns(l, r.owner, r.client, r.token) AS is_own
    FROM unnest(resources, owners, clients, tokens, request_ids) WITH ORDINALITY
      AS r(resource, owner, client, token, request_id, seat)
    LEFT JOIN distributed_locks l ON l.resource = r.resource
  ), released AS (
    DELETE FROM distributed_locks l USING seen s
    WHERE l.resource = s.resource AND holdfast_owns(l, s.owner, s.client, s.token) AND holdfast_is_live(l, released_at)
    RETURNING s.seat, s.request_id, l AS lock
  ), told AS (
    INSERT INTO lock_events (at, kind, resource, owner, fencing_token, expires_at, client, held_ms, request_id)
    SELECT released_at, 'released', (r.lock).resource, (r.lock).owner, (r.lock).fencing_token, (r.lock).expires_at,
      (r.lock).client, holdfast_held_ms(r.lock, released_at), r.request_id
    FROM released r
  )
  SELECT coalesce(json_agg(json_build_array(s.seat - 1, CASE
    WHEN s.id IS NULL THEN 'not-found' WHEN r.seat IS NOT NULL THEN 'released' WHEN s.is_own THEN 'expired'
    ELSE 'not-owner' END)), '[]')
  INTO verdicts
  FROM seen s LEFT JOIN released r ON r.seat = s.seat;
  RETURN json_build_array(holdfast_ms(released_at), verdicts);
END $$;

-- Puts the ends of these leases on record: which of them are over and not noted yet is decided while their rows are held,
-- and a row that a verb has just taken is left for the next time. The token stays in the row and the event is the same
-- transaction, so no second sweeper, and no sweeper that starts again, can write another.
CREATE OR REPLACE FUNCTION holdfast_note_ends(who text, turn_ms bigint, resources text[], tokens bigint[], wait_ms integer)
RETURNS json LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
SET jit = off AS $$
DECLARE
  taken bigint[];
  noted_now timestamptz;
  noted integer;
BEGIN
  PERFORM holdfast_begin(wait_ms);
  IF NOT holdfast_take_turn('note-ends', who, turn_ms) THEN RETURN json_build_array(false, 0); END IF;
  SELECT array_agg(held.id) INTO taken
  FROM unnest(resources, tokens) AS r(resource, token)
  CROSS JOIN LATERAL (SELECT l.id FROM distributed_locks l WHERE l.resource = r.resource AND l.fencing_token = r.token
    FOR UPDATE SKIP LOCKED) held;
  noted_now := holdfast_now();
  WITH noted AS (
    UPDATE distributed_locks l SET expiry_noted = l.fencing_token
    WHERE l.id = ANY (taken) AND NOT holdfast_is_live(l, noted_now) AND l.expiry_noted IS DISTINCT FROM l.fencing_token
    RETURNING l AS lock
  )
  INSERT INTO lock_events (at, kind, resource, owner, fencing_token, expires_at, client, held_ms)
  SELECT noted_now, CASE WHEN (n.lock).hold_name IS NULL THEN 'expired' ELSE 'reopened' END, (n.lock).resource,
    (n.lock).owner, (n.lock).fencing_token, (n.lock).expires_at, (n.lock).client, holdfast_held_ms(n.lock, noted_now)
  FROM noted n ORDER BY (n.lock).expires_at, (n.lock).id;
  GET DIAGNOSTICS noted = ROW_COUNT;
  RETURN json_build_array(true, noted);
END $$;
