-- Ends of leases are put on record, each once: the token that was noted stays in the row.
ALTER TABLE "distributed_locks" ADD COLUMN "expiry_noted" BIGINT;

-- The history is read newest first by each of its filters.
CREATE INDEX "lock_events_at_id_idx" ON "lock_events"("at", "id");
CREATE INDEX "lock_events_kind_at_id_idx" ON "lock_events"("kind", "at", "id");
CREATE INDEX "lock_events_client_at_id_idx" ON "lock_events"("client", "at", "id");
CREATE INDEX "lock_events_actor_at_id_idx" ON "lock_events"("actor", "at", "id");

CREATE TABLE "background_turns" (
    "task" TEXT NOT NULL PRIMARY KEY,
    "holder" TEXT NOT NULL,
    "taken_at" TIMESTAMPTZ(3) NOT NULL,
    "lapses_at" TIMESTAMPTZ(3) NOT NULL
);

-- Whoever holds the turn keeps it; another takes it when it has lapsed, or was taken later than this clock can know of.
CREATE FUNCTION holdfast_take_turn(what text, who text, turn_ms bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  taken_now timestamptz := holdfast_now();
BEGIN
  INSERT INTO background_turns AS t (task, holder, taken_at, lapses_at)
  VALUES (what, who, taken_now, taken_now + holdfast_span(turn_ms))
  ON CONFLICT (task) DO UPDATE SET
    holder = excluded.holder, taken_at = excluded.taken_at, lapses_at = excluded.lapses_at
  WHERE t.holder = excluded.holder OR t.lapses_at <= excluded.taken_at OR t.taken_at > excluded.taken_at;
  RETURN FOUND;
END $$;

-- Puts the ends of these leases on record: which of them are over and not noted yet is decided while their rows are held,
-- and a row that a verb has just taken is left for the next time. The token stays in the row and the event is the same
-- transaction, so no second sweeper, and no sweeper that starts again, can write another.
CREATE FUNCTION holdfast_note_ends(who text, turn_ms bigint, resources text[], tokens bigint[], wait_ms integer)
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
    WHERE l.id = ANY (taken) AND l.expires_at <= noted_now AND l.expiry_noted IS DISTINCT FROM l.fencing_token
    RETURNING l AS lock
  )
  INSERT INTO lock_events (at, kind, resource, owner, fencing_token, expires_at, client, held_ms)
  SELECT noted_now, CASE WHEN (n.lock).hold_name IS NULL THEN 'expired' ELSE 'reopened' END, (n.lock).resource,
    (n.lock).owner, (n.lock).fencing_token, (n.lock).expires_at, (n.lock).client, holdfast_held_ms(n.lock, noted_now)
  FROM noted n ORDER BY (n.lock).expires_at, (n.lock).id;
  GET DIAGNOSTICS noted = ROW_COUNT;
  RETURN json_build_array(true, noted);
END $$;

-- One batch of forgetting: rows whose lease ended before the retention, the events that were looked at and belong to no
-- lease that is left, and evictions that nobody is told of any more. Rows that a verb has just taken are left alone.
CREATE FUNCTION holdfast_forget_old(who text, turn_ms bigint, retention_ms bigint, batch_max integer, after_ms bigint,
  after_id bigint, wait_ms integer) RETURNS json LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
SET jit = off AS $$
DECLARE
  old_at timestamptz := holdfast_now() - holdfast_span(retention_ms);
  walked bigint[];
  walk_end json;
  locks integer;
  events integer;
BEGIN
  PERFORM holdfast_begin(wait_ms);
  IF NOT holdfast_take_turn('forget', who, turn_ms) THEN RETURN json_build_array(false, 0, 0, NULL); END IF;
  DELETE FROM distributed_locks d WHERE d.id = ANY (ARRAY(
    SELECT l.id FROM distributed_locks l WHERE l.expires_at < old_at AND l.expiry_noted = l.fencing_token
    ORDER BY l.expires_at, l.id LIMIT batch_max FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS locks = ROW_COUNT;

  walked := ARRAY(SELECT e.id FROM lock_events e
    WHERE e.at < old_at AND (e.at, e.id) > ('epoch'::timestamptz + holdfast_span(after_ms), after_id)
    ORDER BY e.at, e.id LIMIT batch_max);
  IF cardinality(walked) = batch_max THEN
    SELECT json_build_array(holdfast_ms(e.at), e.id) INTO walk_end FROM lock_events e WHERE e.id = walked[batch_max];
  END IF;
  DELETE FROM lock_events e WHERE e.id = ANY (walked)
    AND NOT EXISTS (SELECT 1 FROM distributed_locks l
      WHERE l.resource = e.resource AND l.fencing_token = e.fencing_token)
    AND NOT EXISTS (SELECT 1 FROM evicted_leases v WHERE v.fencing_token = e.fencing_token);
  GET DIAGNOSTICS events = ROW_COUNT;
  DELETE FROM evicted_leases WHERE evicted_at <= holdfast_now() - interval '24 hours';
  RETURN json_build_array(true, locks, events, walk_end);
END $$;
