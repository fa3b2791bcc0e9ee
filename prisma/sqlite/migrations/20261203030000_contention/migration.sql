-- Who asks for locks that others hold, from the acquires that were denied. Times are integer milliseconds since 1970, UTC.
CREATE TABLE "lock_askers" (
    "resource" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "client" TEXT NOT NULL DEFAULT '',
    "attempts" INTEGER NOT NULL,
    "first_at" DATETIME NOT NULL CHECK (typeof("first_at") = 'integer'),
    "last_at" DATETIME NOT NULL CHECK (typeof("last_at") = 'integer'),

    PRIMARY KEY ("resource", "owner", "client")
);

CREATE INDEX "lock_askers_last_at_idx" ON "lock_askers"("last_at");

-- What is usual is told from the history, by time and by kind.
CREATE INDEX IF NOT EXISTS "lock_events_at_id_idx" ON "lock_events"("at", "id");
CREATE INDEX IF NOT EXISTS "lock_events_kind_at_id_idx" ON "lock_events"("kind", "at", "id");

CREATE TABLE "contended_locks" (
    "resource" TEXT NOT NULL PRIMARY KEY,
    "owner" TEXT NOT NULL,
    "client" TEXT,
    "fencing_token" BIGINT NOT NULL,
    "untold" INTEGER NOT NULL,
    "told_at" DATETIME CHECK (typeof("told_at") IN ('integer', 'null'))
);
