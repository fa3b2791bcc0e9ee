-- Keys, people, their sessions, and one-time links. Times are integer milliseconds since 1970, UTC.
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "secret_hash" TEXT NOT NULL CHECK (length("secret_hash") = 64),
    "scopes" TEXT NOT NULL,
    "patterns" TEXT NOT NULL CHECK (json_valid("patterns")),
    "created_at" DATETIME NOT NULL CHECK (typeof("created_at") = 'integer'),
    "created_by" TEXT NOT NULL,
    "expires_at" DATETIME CHECK (typeof("expires_at") IN ('integer', 'null')),
    "revoked_at" DATETIME CHECK (typeof("revoked_at") IN ('integer', 'null')),
    "last_used_at" DATETIME CHECK (typeof("last_used_at") IN ('integer', 'null'))
);

CREATE UNIQUE INDEX "api_keys_secret_hash_key" ON "api_keys"("secret_hash");

CREATE TABLE "members" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "email" TEXT NOT NULL,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "name" TEXT NOT NULL,
    "image" TEXT,
    "role" TEXT NOT NULL DEFAULT 'viewer' CHECK ("role" IN ('viewer', 'operator', 'admin')),
    "created_at" DATETIME NOT NULL CHECK (typeof("created_at") = 'integer'),
    "updated_at" DATETIME NOT NULL CHECK (typeof("updated_at") = 'integer')
);

CREATE UNIQUE INDEX "members_email_key" ON "members"("email");

CREATE TABLE "sessions" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "token" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "expires_at" DATETIME NOT NULL CHECK (typeof("expires_at") = 'integer'),
    "ip_address" TEXT,
    "user_agent" TEXT,
    "created_at" DATETIME NOT NULL CHECK (typeof("created_at") = 'integer'),
    "updated_at" DATETIME NOT NULL CHECK (typeof("updated_at") = 'integer'),
    CONSTRAINT "sessions_member_id_fkey" FOREIGN KEY ("member_id") REFERENCES "members" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX "sessions_token_key" ON "sessions"("token");
CREATE INDEX "sessions_member_id_idx" ON "sessions"("member_id");

CREATE TABLE "accounts" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "account_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "password" TEXT,
    "access_token" TEXT,
    "refresh_token" TEXT,
    "id_token" TEXT,
    "access_token_expires_at" DATETIME,
    "refresh_token_expires_at" DATETIME,
    "scope" TEXT,
    "created_at" DATETIME NOT NULL CHECK (typeof("created_at") = 'integer'),
    "updated_at" DATETIME NOT NULL CHECK (typeof("updated_at") = 'integer'),
    CONSTRAINT "accounts_member_id_fkey" FOREIGN KEY ("member_id") REFERENCES "members" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX "accounts_provider_id_account_id_key" ON "accounts"("provider_id", "account_id");
CREATE INDEX "accounts_member_id_idx" ON "accounts"("member_id");

CREATE TABLE "verifications" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expires_at" DATETIME NOT NULL CHECK (typeof("expires_at") = 'integer'),
    "created_at" DATETIME NOT NULL CHECK (typeof("created_at") = 'integer'),
    "updated_at" DATETIME NOT NULL CHECK (typeof("updated_at") = 'integer')
);

CREATE INDEX "verifications_identifier_idx" ON "verifications"("identifier");

CREATE TABLE "access_links" (
    "token_hash" TEXT NOT NULL PRIMARY KEY CHECK (length("token_hash") = 64),
    "member_id" TEXT,
    "created_at" DATETIME NOT NULL CHECK (typeof("created_at") = 'integer'),
    "expires_at" DATETIME NOT NULL CHECK (typeof("expires_at") = 'integer')
);

CREATE INDEX "access_links_member_id_idx" ON "access_links"("member_id");

CREATE TABLE "access_guard" (
    "id" INTEGER NOT NULL PRIMARY KEY CHECK ("id" = 1),
    "changes" BIGINT NOT NULL
);

INSERT INTO "access_guard" ("id", "changes") VALUES (1, 0);
