-- How far the stream of events in Redis has been saved here, where locks are in Redis; one row. The generation grows with
-- each block of tokens that is reserved: whoever read the stream before that must read it again.
CREATE TABLE "redis_stream" (
    "id" INTEGER NOT NULL PRIMARY KEY CHECK ("id" = 1),
    "saved_ms" BIGINT NOT NULL,
    "saved_seq" BIGINT NOT NULL,
    "generation" BIGINT NOT NULL
);

INSERT INTO "redis_stream" ("id", "saved_ms", "saved_seq", "generation") VALUES (1, 0, 0, 0);
