-- Up to when, and to which count, the renewals of a lease are on record. From before the lease was acquired: not at all.
ALTER TABLE "distributed_locks" ADD COLUMN "renewals_told_at" DATETIME CHECK (typeof("renewals_told_at") IN ('integer', 'null'));
ALTER TABLE "distributed_locks" ADD COLUMN "renewals_told" INTEGER;
