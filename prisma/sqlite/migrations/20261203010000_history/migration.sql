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
    "taken_at" DATETIME NOT NULL CHECK (typeof("taken_at") = 'integer'),
    "lapses_at" DATETIME NOT NULL CHECK (typeof("lapses_at") = 'integer')
);
