import { StoreUnavailable } from '../../locks/errors';
import { z } from 'zod';

import type { PostgresDatabase } from './database';

/** What an operator should know about the server and cannot see from here again. */
export interface ServerFindings {
  readonly version: string;
  /** Sentences, each about something that weakens what the service promises. */
  readonly warnings: readonly string[];
}

const settingsStatement = `SELECT json_build_object(
  'version', current_setting('server_version'), 'versionNumber', current_setting('server_version_num')::integer,
  'encoding', current_setting('server_encoding'), 'isolation', current_setting('default_transaction_isolation'),
  'isReplica', pg_is_in_recovery(), 'isReadOnly', current_setting('transaction_read_only') = 'on',
  'synchronousCommit', current_setting('synchronous_commit'), 'fsync', current_setting('fsync'),
  'fullPageWrites', current_setting('full_page_writes'))`;

const settingsRow = z.object({
  version: z.string(),
  versionNumber: z.int(),
  encoding: z.string(),
  isolation: z.string(),
  isReplica: z.boolean(),
  isReadOnly: z.boolean(),
  synchronousCommit: z.string(),
  fsync: z.string(),
  fullPageWrites: z.string(),
});

type Settings = z.output<typeof settingsRow>;

/** @throws when the service could not keep its promises on this server. */
export async function readServer(database: PostgresDatabase): Promise<ServerFindings> {
  const settings = settingsRow.parse(await database.value(settingsStatement, []));
  const obstacle = obstacleIn(settings);
  if (obstacle !== null) throw new Error(obstacle);
  return { version: settings.version, warnings: warningsOf(settings) };
}

function obstacleIn(settings: Settings): string | null {
  if (settings.versionNumber < 150_000) {
    return `PostgreSQL ${settings.version} is too old: Holdfast needs 15 or newer`;
  }
  if (settings.isReplica) return 'The server is a replica; name the primary';
  if (settings.isReadOnly) return 'The database is read-only';
  if (settings.encoding !== 'UTF8') {
    return `The database has the encoding ${settings.encoding}; Holdfast needs UTF8`;
  }
  if (settings.isolation !== 'read committed') {
    return `default_transaction_isolation is "${settings.isolation}"; Holdfast needs "read committed" for its role`;
  }
  return null;
}

function warningsOf({ synchronousCommit, fsync, fullPageWrites }: Settings): string[] {
  const warnings: string[] = [];
  if (fsync === 'off' || fullPageWrites === 'off') {
    warnings.push(
      'fsync or full_page_writes is off: locks that were granted can be lost when the server loses power',
    );
  }
  if (synchronousCommit === 'off') {
    warnings.push('synchronous_commit is off: Holdfast turns it on for its own transactions');
  }
  return warnings;
}

/** What a replica tells is what was, and it cannot say how long ago. */
export function assertPrimary(isReplica: boolean): void {
  if (isReplica) throw new StoreUnavailable('PostgreSQL is a replica');
}
