import type { Logger } from 'pino';

import { openAccess, type AccessControl } from '@/lib/access/access-control';
import type { AccessDatabaseHandle } from '@/lib/store/access/prisma-access-store';
import { openPostgresAccess } from '@/lib/store/access/postgresql';
import { openSqliteAccess } from '@/lib/store/access/sqlite';

import { EnvironmentError, type DatabaseChoice, type Environment } from './env';
import { makeFirstKey } from './first-key';
import { readSecret } from './secret-file';

/**
 * Opens what says who may call. On a new SQLite database it makes the first key as well.
 *
 * @throws EnvironmentError when the environment names an admin who can't be made.
 */
export async function openAccessOf(
  environment: Environment,
  log: Logger,
): Promise<{ readonly access: AccessControl; readonly close: () => Promise<void> }> {
  const { admin, apiKey } = environment;
  const secret = environment.secret ?? (await readSecret(environment.database.url));
  const database = openDatabase(environment.database);
  try {
    const access = await openAccess({
      store: database.store,
      prisma: database.prisma,
      dialect: database.dialect,
      secret,
      publicUrl: environment.publicOrigin,
      sessionSeconds: environment.sessionSeconds,
      oidc: environment.oidc,
      apiKey,
      callsPerSecond: environment.callsPerSecond,
      monotonicMs: () => performance.now(),
      onTrouble: (message, error) => log.error(error === null ? {} : { err: error }, message),
    });
    if (apiKey === null && database.dialect === 'sqlite') {
      await makeFirstKey(access, environment.database.url);
    }
    if (admin !== null) await ensureAdmin(access, admin);
    const close = async () => {
      await access.close();
      await database.close();
    };
    return { access, close };
  } catch (error) {
    await database.close();
    throw error;
  }
}

function openDatabase(database: DatabaseChoice): AccessDatabaseHandle {
  switch (database.kind) {
    case 'sqlite':
      return openSqliteAccess(database.url);
    case 'postgresql':
      return openPostgresAccess(database);
  }
}

async function ensureAdmin(
  { members }: AccessControl,
  { email, password }: NonNullable<Environment['admin']>,
): Promise<void> {
  if ((await members.ensureAdmin(email, password)) === 'taken') {
    throw new EnvironmentError(
      `HOLDFAST_ADMIN_EMAIL ${email} is a member without the role admin, and there is no admin`,
    );
  }
}
