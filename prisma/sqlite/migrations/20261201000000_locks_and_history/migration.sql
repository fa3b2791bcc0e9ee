-- Times are integer milliseconds since 1970, UTC. The checks refuse text, which SQLite would compare wrongly with numbers.
CREATE TABLE "distributed_locks" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "resource" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "expires_at" DATETIME NOT NULL CHECK (typeof("expires_at") = 'integer'),
    "acquired_at" DATETIME NOT NULL CHECK (typeof("acquired_at") = 'integer'),
    "renewed_at" DATETIME CHECK (typeof("renewed_at") IN ('integer', 'null')),
    "renew_count" INTEGER NOT NULL DEFAULT 0,
    "ttl_ms" INTEGER NOT NULL,
    "fencing_token" BIGINT NOT NULL CHECK ("fencing_token" BETWEEN 1 AND 9007199254740991),
    "client" TEXT,
    "metadata" TEXT CHECK ("metadata" IS NULL OR json_valid("metadata")),
    "hold_name" TEXT,
    "hold_reason" TEXT,
    "release_requested_by" TEXT,
    "release_requested_reason" TEXT,
    "release_requested_at" DATETIME CHECK (typeof("release_requested_at") IN ('integer', 'null')),
    "change_id" TEXT,
    "change_kind" TEXT,
    "change_at" DATETIME,
    "change_previous_owner" TEXT,
    "change_held_ms" BIGINT
);

CREATE UNIQUE INDEX "distributed_locks_resource_key" ON "distributed_locks"("resource");
CREATE INDEX "distributed_locks_expires_at_id_idx" ON "distributed_locks"("expires_at", "id");

CREATE TABLE "lock_events" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "at" DATETIME NOT NULL CHECK (typeof("at") = 'integer'),
    "kind" TEXT NOT NULL,
    "resource" TEXT,
    "owner" TEXT,
    "fencing_token" BIGINT,
    "expires_at" DATETIME CHECK (typeof("expires_at") IN ('integer', 'null')),
    "previous_owner" TEXT,
    "client" TEXT,
    "actor" TEXT,
    "reason" TEXT,
    "count" INTEGER,
    "held_ms" BIGINT,
    "request_id" TEXT,
    "subject" TEXT
);

CREATE INDEX "lock_events_resource_id_idx" ON "lock_events"("resource", "id");

CREATE TABLE "evicted_leases" (
    "fencing_token" BIGINT NOT NULL PRIMARY KEY,
    "resource" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "client" TEXT,
    "evicted_by" TEXT NOT NULL,
    "reason" TEXT,
    "evicted_at" DATETIME NOT NULL CHECK (typeof("evicted_at") = 'integer'),
    "noticed_at" DATETIME CHECK (typeof("noticed_at") IN ('integer', 'null'))
);

CREATE INDEX "evicted_leases_resource_idx" ON "evicted_leases"("resource");

CREATE TABLE "fencing_counter" (
    "id" INTEGER NOT NULL PRIMARY KEY CHECK ("id" = 1),
    "value" BIGINT NOT NULL CHECK ("value" BETWEEN 0 AND 9007199254740991)
);

INSERT INTO "fencing_counter" ("id", "value") VALUES (1, 0);
