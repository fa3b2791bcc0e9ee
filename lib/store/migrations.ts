import { createHash } from 'node:crypto';

/** A migration as Prisma keeps it: the folder's name, and the text of its `migration.sql`. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** @throws if there is a migration that this build does not know, or knows with another text. */
export function checkKnown(
  applied: ReadonlyMap<string, string>,
  migrations: readonly Migration[],
): void {
  const known = new Map(migrations.map(({ name, sql }) => [name, checksumOf(sql)]));
  for (const [name, checksum] of applied) {
    const expected = known.get(name);
    if (expected === undefined) {
      throw new Error(
        `The database has the migration ${name}, which this version of Holdfast does not know. Start a newer version.`,
      );
    }
    if (expected !== checksum) {
      throw new Error(
        `The migration ${name} in the database differs from the one in this version of Holdfast.`,
      );
    }
  }
}

/** As Prisma reckons it. */
export function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}
