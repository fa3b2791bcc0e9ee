-- Names are compared bytewise whatever the database's collation is: COLLATE "C". Times have milliseconds, like the wire.
CREATE TABLE "distributed_locks" (
    "id" BIGSERIAL NOT NULL,
    "resource" TEXT COLLATE "C" NOT NULL,
    "owner" TEXT COLLATE "C" NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "acquired_at" TIMESTAMPTZ(3) NOT NULL,
    "renewed_at" TIMESTAMPTZ(3),
    "renew_count" INTEGER NOT NULL DEFAULT 0,
    "ttl_ms" BIGINT NOT NULL,
    "fencing_token" BIGINT NOT NULL CHECK ("fencing_token" BETWEEN 1 AND 9007199254740991),
    "client" TEXT COLLATE "C",
    "metadata" TEXT,
    "hold_name" TEXT COLLATE "C",
    "hold_reason" TEXT,
    "release_requested_by" TEXT,
    "release_requested_reason" TEXT,
    "release_requested_at" TIMESTAMPTZ(3),

    CONSTRAINT "distributed_locks_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "distributed_locks_resource_key" ON "distributed_locks"("resource");
CREATE INDEX "distributed_locks_expires_at_id_idx" ON "distributed_locks"("expires_at", "id");

CREATE TABLE "lock_events" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "kind" TEXT NOT NULL,
    "resource" TEXT COLLATE "C",
    "owner" TEXT COLLATE "C",
    "fencing_token" BIGINT,
    "expires_at" TIMESTAMPTZ(3),
    "previous_owner" TEXT COLLATE "C",
    "client" TEXT COLLATE "C",
    "actor" TEXT COLLATE "C",
    "reason" TEXT,
    "count" INTEGER,
    "held_ms" BIGINT,
    "request_id" TEXT,
    "subject" TEXT,

    CONSTRAINT "lock_events_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "lock_events_resource_id_idx" ON "lock_events"("resource", "id");

CREATE TABLE "evicted_leases" (
    "fencing_token" BIGINT NOT NULL,
    "resource" TEXT COLLATE "C" NOT NULL,
    "owner" TEXT COLLATE "C" NOT NULL,
    "client" TEXT COLLATE "C",
    "evicted_by" TEXT NOT NULL,
    "reason" TEXT,
    "evicted_at" TIMESTAMPTZ(3) NOT NULL,
    "noticed_at" TIMESTAMPTZ(3),

    CONSTRAINT "evicted_leases_pkey" PRIMARY KEY ("fencing_token")
);

CREATE INDEX "evicted_leases_resource_idx" ON "evicted_leases"("resource");

-- One counter for all resources. CACHE 1: a session that kept numbers in store would give out old ones later. It may
-- skip numbers and never repeats one, and at its end it refuses rather than pass what JSON carries exactly.
CREATE SEQUENCE "fencing_tokens" AS BIGINT MAXVALUE 9007199254740991 CACHE 1 NO CYCLE;

-- The clock of every lock: the database's own, in whole milliseconds, and never a transaction's frozen now().
CREATE FUNCTION holdfast_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT date_trunc('milliseconds', clock_timestamp())
$$;

-- Milliseconds since 1970, exactly: what the service reckons in, whatever the session's time zone is.
CREATE FUNCTION holdfast_ms(instant timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT (extract(epoch FROM instant) * 1000)::bigint
$$;

CREATE FUNCTION holdfast_span(ms bigint) RETURNS interval LANGUAGE sql IMMUTABLE AS $$
  SELECT ms * interval '1 millisecond'
$$;

-- A row as the service reads it.
CREATE FUNCTION holdfast_lease(l distributed_locks) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_array(l.id, l.resource, l.owner, l.client, holdfast_ms(l.acquired_at), holdfast_ms(l.expires_at),
    holdfast_ms(l.renewed_at), l.renew_count, l.ttl_ms, l.fencing_token, l.hold_name, l.hold_reason,
    l.release_requested_by, l.release_requested_reason, holdfast_ms(l.release_requested_at), l.metadata)
$$;

-- The client is part of ownership; a lease without one, from before there was access control, is its owner's alone.
CREATE FUNCTION holdfast_same_client(kept text, given text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT kept IS NULL OR kept IS NOT DISTINCT FROM given
$$;

-- That a row is the caller's own lease, over or not; without a token, whichever it is. A hold is nobody's own.
CREATE FUNCTION holdfast_owns(l distributed_locks, caller text, caller_client text, token bigint)
RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT l.id IS NOT NULL AND l.hold_name IS NULL AND l.owner = caller
    AND holdfast_same_client(l.client, caller_client) AND (token IS NULL OR l.fencing_token = token)
$$;

-- How long was held of a lease that ends or ended.
CREATE FUNCTION holdfast_held_ms(l distributed_locks, until_at timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT greatest(0, holdfast_ms(least(until_at, l.expires_at)) - holdfast_ms(l.acquired_at))
$$;

-- Each verb below is one function, called as a statement of its own: one round trip, one transaction, which no pause of
-- its caller can keep open and any pooler can carry. VOLATILE, so that each statement in it sees what was committed before
-- that statement began. It first takes its rows, in the order of their names, so that groups cannot deadlock; then it
-- reads the clock; then one statement decides and its returned rows are the verdict. Its answer is JSON: now, and an entry
-- for each rider by seat. The plans are pinned: they are made while the tables may be small, and kept.

-- What every writing transaction begins with. It waits no longer than this for whoever has a row or a name; its commit
-- is on disk before it is acknowledged, whatever the server's default is; and it does not run where statements would see
-- what was committed before the transaction began, for there the old holder's rows would still be in sight.
CREATE FUNCTION holdfast_begin(wait_ms integer) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM set_config('lock_timeout', wait_ms::text, true);
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'the isolation level must be read committed' USING ERRCODE = 'invalid_transaction_state';
  END IF;
END $$;

-- Takes the rows of these names until the transaction ends.
CREATE FUNCTION holdfast_take_rows(resources text[]) RETURNS void LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
SET jit = off AS $$
BEGIN
  PERFORM 1 FROM (SELECT DISTINCT r.name COLLATE "C" AS name FROM unnest(resources) AS r(name) ORDER BY 1) r
    CROSS JOIN LATERAL (SELECT 1 FROM distributed_locks l WHERE l.resource = r.name FOR UPDATE) taken;
END $$;

-- Takes the names themselves, whether they have a row or not. Two grants of one name are one after the other even where
-- there is no row to wait for: a token drawn before such a wait could be granted after a larger one.
CREATE FUNCTION holdfast_take_names(resources text[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  name_key integer;
BEGIN
  FOR name_key IN SELECT DISTINCT hashtext(r.name) FROM unnest(resources) AS r(name) ORDER BY 1 LOOP
    -- The first number is ours among all who use advisory locks in this database.
    PERFORM pg_advisory_xact_lock(1215261796, name_key);
  END LOOP;
END $$;

-- Grants each free or expired name, and each owner its own anew. Of a lock that another holds nothing is written, no row
-- is taken, and the answer is the holder. Seats without an entry met somebody who keeps to other rules than these.
CREATE FUNCTION holdfast_acquire(resources text[], owners text[], clients text[], ttls_ms bigint[], metadatas text[],
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
  WHERE l.expires_at > read_at AND NOT holdfast_owns(l, r.owner, r.client, NULL);
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
CREATE FUNCTION holdfast_renew(resources text[], owners text[], clients text[], ttls_ms bigint[], tokens bigint[],
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
    WHERE l.resource = s.resource AND holdfast_owns(l, s.owner, s.client, s.token) AND l.expires_at > renewed_now
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
CREATE FUNCTION holdfast_release(resources text[], owners text[], clients text[], tokens bigint[], request_ids text[],
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
    WHERE l.resource = s.resource AND holdfast_owns(l, s.owner, s.client, s.token) AND l.expires_at > released_at
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

-- Writes down that a person ends a live lease, and tells for a day; few rows, since only people evict.
CREATE FUNCTION holdfast_evict(l distributed_locks, evictor text, why text, evicted_now timestamptz)
RETURNS void LANGUAGE sql VOLATILE AS $$
  INSERT INTO evicted_leases (fencing_token, resource, owner, client, evicted_by, reason, evicted_at)
  VALUES (l.fencing_token, l.resource, l.owner, l.client, evictor, why, evicted_now);
  DELETE FROM evicted_leases WHERE evicted_at <= evicted_now - interval '24 hours';
$$;

-- The event of a lease that an operator ends: cleared when it was over, reopened when it was a hold, else forced.
CREATE FUNCTION holdfast_end(l distributed_locks, ender text, why text, ended_at timestamptz, request text)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  is_live boolean := l.expires_at > ended_at;
  is_forced boolean := is_live AND l.hold_name IS NULL;
BEGIN
  INSERT INTO lock_events
    (at, kind, resource, owner, fencing_token, expires_at, previous_owner, client, actor, reason, held_ms, request_id)
  VALUES (ended_at,
    CASE WHEN is_forced THEN 'force_released' WHEN is_live THEN 'reopened' ELSE 'cleared' END,
    l.resource, l.owner, l.fencing_token, l.expires_at, CASE WHEN is_forced THEN l.owner END, l.client, ender, why,
    holdfast_held_ms(l, ended_at), request);
  IF is_forced THEN PERFORM holdfast_evict(l, ender, why, ended_at); END IF;
END $$;

-- Puts a hold where the row of its name is, or in a new one, and returns it. The row, or the name, has been taken.
CREATE FUNCTION holdfast_put_hold(name text, holder text, why text, hold_ms bigint, held_at timestamptz, request text)
RETURNS distributed_locks LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  was_owner text;
  held distributed_locks;
BEGIN
  SELECT l.owner INTO was_owner FROM distributed_locks l WHERE l.resource = name;
  INSERT INTO distributed_locks AS d
    (resource, owner, acquired_at, expires_at, ttl_ms, fencing_token, hold_name, hold_reason)
  VALUES (name, 'operator:' || holder, held_at, held_at + holdfast_span(hold_ms), hold_ms, nextval('fencing_tokens'),
    holder, why)
  ON CONFLICT (resource) DO UPDATE SET
    owner = excluded.owner, client = NULL, acquired_at = excluded.acquired_at, expires_at = excluded.expires_at,
    renewed_at = NULL, renew_count = 0, ttl_ms = excluded.ttl_ms, fencing_token = excluded.fencing_token,
    metadata = NULL, hold_name = excluded.hold_name, hold_reason = excluded.hold_reason,
    release_requested_by = NULL, release_requested_reason = NULL, release_requested_at = NULL
  RETURNING d.* INTO held;
  PERFORM holdfast_tell_held(held, was_owner, held_at, request);
  RETURN held;
END $$;

CREATE FUNCTION holdfast_tell_held(held distributed_locks, was_owner text, told_at timestamptz, request text)
RETURNS void LANGUAGE sql VOLATILE AS $$
  INSERT INTO lock_events
    (at, kind, resource, owner, fencing_token, expires_at, previous_owner, actor, reason, request_id)
  VALUES (told_at, 'held', held.resource, held.owner, held.fencing_token, held.expires_at, was_owner, held.hold_name,
    held.hold_reason, request);
$$;

-- Ends the leases that were seen, by their tokens, each judged alone, all in one transaction; with a time to hold, the
-- name stays closed that long, in the same step, so that nobody slips in between.
CREATE FUNCTION holdfast_force_release(resources text[], tokens bigint[], reasons text[], holds_ms bigint[],
  only_expireds boolean[], actors text[], request_ids text[], wait_ms integer) RETURNS json LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off AS $$
DECLARE
  ended_at timestamptz;
  seen distributed_locks;
  hold json;
  verdict text;
  verdicts json[] := '{}';
BEGIN
  PERFORM holdfast_begin(wait_ms);
  PERFORM holdfast_take_rows(resources);
  ended_at := holdfast_now();
  FOR seat IN 1 .. cardinality(resources) LOOP
    SELECT l.* INTO seen FROM distributed_locks l WHERE l.resource = resources[seat];
    hold := NULL;
    verdict := CASE
      WHEN seen.id IS NULL THEN 'not-found'
      WHEN seen.fencing_token <> tokens[seat] THEN 'lock-changed'
      WHEN seen.expires_at > ended_at AND only_expireds[seat] THEN 'still-active'
      WHEN reasons[seat] IS NULL AND (seen.expires_at > ended_at OR holds_ms[seat] > 0) THEN 'reason-required'
      ELSE 'released' END;
    IF verdict = 'released' THEN
      PERFORM holdfast_end(seen, actors[seat], reasons[seat], ended_at, request_ids[seat]);
      IF holds_ms[seat] > 0 THEN
        hold := holdfast_lease(holdfast_put_hold(resources[seat], actors[seat], reasons[seat], holds_ms[seat], ended_at,
          request_ids[seat]));
      ELSE
        DELETE FROM distributed_locks l WHERE l.id = seen.id;
      END IF;
    END IF;
    verdicts := verdicts || json_build_array(seat - 1, verdict,
      CASE WHEN seen.id IS NOT NULL THEN holdfast_lease(seen) END, hold);
  END LOOP;
  RETURN json_build_array(holdfast_ms(ended_at), to_json(verdicts));
END $$;

-- Holds a free name, prolongs the operator's own hold, or evicts the live lease that is named and holds in its place.
-- Any other live lease stays as it is: the lock has changed.
CREATE FUNCTION holdfast_hold(name text, holder text, why text, hold_ms bigint, token bigint, request text,
  wait_ms integer) RETURNS json LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off AS $$
DECLARE
  held_at timestamptz;
  seen distributed_locks;
  is_held boolean := true;
BEGIN
  PERFORM holdfast_begin(wait_ms);
  PERFORM holdfast_take_names(ARRAY[name]);
  PERFORM holdfast_take_rows(ARRAY[name]);
  held_at := holdfast_now();
  SELECT l.* INTO seen FROM distributed_locks l WHERE l.resource = name;
  IF seen.id IS NULL OR seen.expires_at <= held_at THEN
    seen := holdfast_put_hold(name, holder, why, hold_ms, held_at, request);
  ELSIF token IS NULL OR seen.fencing_token <> token THEN
    is_held := false;
  ELSIF seen.hold_name = holder THEN
    UPDATE distributed_locks l SET
      expires_at = greatest(l.expires_at, held_at + holdfast_span(hold_ms)), ttl_ms = hold_ms, hold_reason = why
    WHERE l.id = seen.id RETURNING l.* INTO seen;
    PERFORM holdfast_tell_held(seen, NULL, held_at, request);
  ELSE
    PERFORM holdfast_end(seen, holder, why, held_at, request);
    seen := holdfast_put_hold(name, holder, why, hold_ms, held_at, request);
  END IF;
  RETURN json_build_array(holdfast_ms(held_at),
    json_build_array(json_build_array(0, is_held::integer, holdfast_lease(seen))));
END $$;

-- Asks the holder of the live lease that was seen to let go. A hold has nobody to ask.
CREATE FUNCTION holdfast_ask_release(name text, token bigint, asker text, why text, request text, wait_ms integer)
RETURNS json LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off AS $$
DECLARE
  asked_at timestamptz;
  seen distributed_locks;
  is_asked boolean;
BEGIN
  PERFORM holdfast_begin(wait_ms);
  PERFORM holdfast_take_rows(ARRAY[name]);
  asked_at := holdfast_now();
  UPDATE distributed_locks l SET
    release_requested_by = asker, release_requested_reason = why, release_requested_at = asked_at
  WHERE l.resource = name AND l.fencing_token = token AND l.hold_name IS NULL AND l.expires_at > asked_at
  RETURNING l.* INTO seen;
  is_asked := seen.id IS NOT NULL;
  IF is_asked THEN
    INSERT INTO lock_events
      (at, kind, resource, owner, fencing_token, expires_at, client, actor, reason, request_id)
    VALUES (asked_at, 'release_requested', seen.resource, seen.owner, seen.fencing_token, seen.expires_at, seen.client,
      asker, why, request);
  ELSE
    SELECT l.* INTO seen FROM distributed_locks l WHERE l.resource = name;
  END IF;
  IF seen.id IS NULL THEN RETURN json_build_array(holdfast_ms(asked_at), json_build_array()); END IF;
  RETURN json_build_array(holdfast_ms(asked_at),
    json_build_array(json_build_array(0, is_asked::integer, holdfast_lease(seen))));
END $$;
