-- How far the stream of events in Redis has been saved here, where locks are in Redis; one row. The generation grows with
-- each block of tokens that is reserved: whoever read the stream before that must read it again.
CREATE TABLE "redis_stream" (
    "id" INTEGER NOT NULL CHECK ("id" = 1),
    "saved_ms" BIGINT NOT NULL,
    "saved_seq" BIGINT NOT NULL,
    "generation" BIGINT NOT NULL,

    CONSTRAINT "redis_stream_pkey" PRIMARY KEY ("id")
);

INSERT INTO "redis_stream" ("id", "saved_ms", "saved_seq", "generation") VALUES (1, 0, 0, 0);

-- Takes so many tokens out of the sequence, or what is left of it, for the locks in Redis. The row of the stream is taken
-- first, so that two blocks are reserved one after the other and no block overlaps another. Answers the first and last
-- token, and how far the stream has been saved; null for the tokens when there are none.
CREATE FUNCTION holdfast_reserve_tokens(wanted bigint) RETURNS json LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  saved redis_stream;
  last_value bigint;
  is_called boolean;
  first_token bigint;
  last_token bigint;
BEGIN
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  UPDATE redis_stream r SET generation = r.generation + 1 RETURNING r.* INTO saved;
  SELECT s.last_value, s.is_called INTO last_value, is_called FROM fencing_tokens s;
  IF NOT is_called OR last_value < 9007199254740991 THEN
    first_token := nextval('fencing_tokens');
    last_token := least(first_token + wanted - 1, 9007199254740991);
    PERFORM setval('fencing_tokens', last_token);
  END IF;
  RETURN json_build_array(first_token, last_token, saved.saved_ms, saved.saved_seq, saved.generation);
END $$;

-- Saves events of the stream, each as an array of its columns, if nobody else has saved or adopted meanwhile; then, in the
-- same transaction, how far they reach, so that none is saved twice. False: read the stream again.
CREATE FUNCTION holdfast_save_events(events json, from_ms bigint, from_seq bigint, at_generation bigint, to_ms bigint,
  to_seq bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE redis_stream r SET saved_ms = to_ms, saved_seq = to_seq
  WHERE r.saved_ms = from_ms AND r.saved_seq = from_seq AND r.generation = at_generation;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO lock_events (at, kind, resource, owner, fencing_token, expires_at, previous_owner, client, actor, reason,
    count, held_ms, request_id, subject)
  SELECT 'epoch'::timestamptz + holdfast_span((e.line->>0)::bigint), e.line->>1, e.line->>2, e.line->>3,
    (e.line->>4)::bigint, 'epoch'::timestamptz + holdfast_span((e.line->>5)::bigint), e.line->>6, e.line->>7, e.line->>8,
    e.line->>9, (e.line->>10)::integer, (e.line->>11)::bigint, e.line->>12, e.line->>13
  FROM json_array_elements(events) WITH ORDINALITY AS e(line, place) ORDER BY e.place;
  RETURN true;
END $$;
