-- Who asks for locks that others hold, from the acquires that were denied.
CREATE TABLE "lock_askers" (
    "resource" TEXT COLLATE "C" NOT NULL,
    "owner" TEXT COLLATE "C" NOT NULL,
    "client" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "attempts" INTEGER NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lock_askers_pkey" PRIMARY KEY ("resource", "owner", "client")
);

CREATE INDEX "lock_askers_last_at_idx" ON "lock_askers"("last_at");

-- What is usual is told from the history, by time and by kind.
CREATE INDEX IF NOT EXISTS "lock_events_at_id_idx" ON "lock_events"("at", "id");
CREATE INDEX IF NOT EXISTS "lock_events_kind_at_id_idx" ON "lock_events"("kind", "at", "id");

CREATE TABLE "contended_locks" (
    "resource" TEXT COLLATE "C" NOT NULL,
    "owner" TEXT COLLATE "C" NOT NULL,
    "client" TEXT COLLATE "C",
    "fencing_token" BIGINT NOT NULL,
    "untold" INTEGER NOT NULL,
    "told_at" TIMESTAMPTZ(3),

    CONSTRAINT "contended_locks_pkey" PRIMARY KEY ("resource")
);

-- What every transaction begins with that only counts. Nobody is answered by it, so it need not wait for the disk.
CREATE FUNCTION holdfast_begin_notes(wait_ms integer) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM holdfast_begin(wait_ms);
  PERFORM set_config('synchronous_commit', 'off', true);
END $$;

-- Tells the history of denials that it has not been told yet, of each resource at most once in a while.
CREATE FUNCTION holdfast_tell_contended(resources text[], told_now timestamptz, every_ms bigint, rows_max bigint)
RETURNS void LANGUAGE sql VOLATILE AS $$
  WITH due AS MATERIALIZED (
    SELECT c.* FROM contended_locks c
    WHERE (resources IS NULL OR c.resource = ANY (resources)) AND c.untold > 0
      AND (c.told_at IS NULL OR c.told_at <= told_now - holdfast_span(every_ms))
    ORDER BY c.resource LIMIT rows_max FOR UPDATE SKIP LOCKED
  ), told AS (
    INSERT INTO lock_events (at, kind, resource, owner, fencing_token, client, count)
    SELECT told_now, 'contended', d.resource, d.owner, d.fencing_token, d.client, d.untold FROM due d
  )
  UPDATE contended_locks c SET untold = 0, told_at = told_now FROM due d WHERE c.resource = d.resource
$$;

-- Adds what an instance has counted. The rows of the resources are taken first, in the order of their names, so that two
-- instances that report the same ones go one after the other.
CREATE FUNCTION holdfast_note_denials(resources text[], owners text[], clients text[], attempts integer[],
  firsts_ms bigint[], lasts_ms bigint[], holders text[], holder_clients text[], tokens bigint[], asking_ms bigint,
  every_ms bigint, askers_max bigint, wait_ms integer) RETURNS json LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_custom_plan SET jit = off AS $$
DECLARE
  noted_now timestamptz;
BEGIN
  PERFORM holdfast_begin_notes(wait_ms);
  INSERT INTO contended_locks AS c (resource, owner, client, fencing_token, untold)
  SELECT DISTINCT ON (r.resource COLLATE "C") r.resource, r.holder, r.holder_client, r.token,
    sum(r.attempts) OVER (PARTITION BY r.resource)
  FROM unnest(resources, attempts, lasts_ms, holders, holder_clients, tokens)
    AS r(resource, attempts, last_ms, holder, holder_client, token)
  ORDER BY r.resource COLLATE "C", r.token DESC
  ON CONFLICT (resource) DO UPDATE SET
    owner = excluded.owner, client = excluded.client, fencing_token = excluded.fencing_token,
    untold = c.untold + excluded.untold;
  noted_now := holdfast_now();

  INSERT INTO lock_askers AS a (resource, owner, client, attempts, first_at, last_at)
  SELECT r.resource, r.owner, coalesce(r.client, ''), r.attempts, 'epoch'::timestamptz + holdfast_span(r.first_ms),
    'epoch'::timestamptz + holdfast_span(r.last_ms)
  FROM unnest(resources, owners, clients, attempts, firsts_ms, lasts_ms)
    AS r(resource, owner, client, attempts, first_ms, last_ms)
  ORDER BY r.resource COLLATE "C", r.owner COLLATE "C", r.client COLLATE "C"
  ON CONFLICT (resource, owner, client) DO UPDATE SET
    attempts = CASE WHEN a.last_at <= excluded.first_at - holdfast_span(asking_ms) THEN excluded.attempts
      ELSE least(a.attempts::bigint + excluded.attempts, 2147483647) END,
    first_at = CASE WHEN a.last_at <= excluded.first_at - holdfast_span(asking_ms) THEN excluded.first_at
      ELSE least(a.first_at, excluded.first_at) END,
    last_at = greatest(a.last_at, excluded.last_at);

  DELETE FROM lock_askers a USING (
    SELECT k.resource, k.owner, k.client,
      row_number() OVER (PARTITION BY k.resource ORDER BY k.last_at DESC, k.owner, k.client) AS place
    FROM lock_askers k WHERE k.resource = ANY (resources)) k
  WHERE k.place > askers_max AND a.resource = k.resource AND a.owner = k.owner AND a.client = k.client;

  PERFORM holdfast_tell_contended(resources, noted_now, every_ms, cardinality(resources));
  RETURN to_json(holdfast_ms(noted_now));
END $$;

-- Tells what is due, and forgets some of what is of no use any more. Answers when there will be more.
CREATE FUNCTION holdfast_tidy_denials(asking_ms bigint, every_ms bigint, rows_max bigint, wait_ms integer)
RETURNS json LANGUAGE plpgsql VOLATILE SET jit = off AS $$
DECLARE
  tidied_now timestamptz;
BEGIN
  PERFORM holdfast_begin_notes(wait_ms);
  tidied_now := holdfast_now();
  PERFORM holdfast_tell_contended(NULL, tidied_now, every_ms, rows_max);
  DELETE FROM lock_askers a USING (
    SELECT k.resource, k.owner, k.client FROM lock_askers k WHERE k.last_at <= tidied_now - holdfast_span(asking_ms)
    ORDER BY k.last_at LIMIT rows_max FOR UPDATE SKIP LOCKED) k
  WHERE a.resource = k.resource AND a.owner = k.owner AND a.client = k.client;
  DELETE FROM contended_locks c USING (
    SELECT k.resource FROM contended_locks k
    WHERE k.untold = 0 AND k.told_at <= tidied_now - holdfast_span(asking_ms)
    ORDER BY k.resource LIMIT rows_max FOR UPDATE SKIP LOCKED) k
  WHERE c.resource = k.resource;
  RETURN to_json(CASE
    WHEN EXISTS (SELECT 1 FROM lock_askers k WHERE k.last_at <= tidied_now - holdfast_span(asking_ms)) THEN 'now'
    WHEN EXISTS (SELECT 1 FROM lock_askers) OR EXISTS (SELECT 1 FROM contended_locks) THEN 'later'
    ELSE 'never' END);
END $$;

-- All who ask for the lock `l`, in short, as `[attempts, owners, last owner, last at]`; null if nobody does. Its own
-- holder asks no more.
CREATE FUNCTION holdfast_contention(l distributed_locks, asking_since timestamptz) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN count(*) > 0 THEN json_build_array(sum(a.attempts), count(*),
    (array_agg(a.owner ORDER BY a.last_at DESC, a.owner, a.client))[1], holdfast_ms(max(a.last_at))) END
  FROM lock_askers a
  WHERE a.resource = l.resource AND a.last_at > asking_since
    AND NOT (a.owner = l.owner AND a.client = coalesce(l.client, ''))
$$;
