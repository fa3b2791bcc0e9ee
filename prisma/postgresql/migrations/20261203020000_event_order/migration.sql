-- Ids of events are drawn before the commit, so a later id can be seen before an earlier one. Whoever follows the history
-- goes by the transaction instead: those below pg_snapshot_xmin have ended, and none of them can appear any more.
-- Events from before this column count as of one transaction, older than any other. A constant: the table is not rewritten.
ALTER TABLE "lock_events" ADD COLUMN "xid" xid8 NOT NULL DEFAULT '0'::xid8;
ALTER TABLE "lock_events" ALTER COLUMN "xid" SET DEFAULT pg_current_xact_id();

CREATE INDEX "lock_events_xid_id_idx" ON "lock_events"("xid", "id");
