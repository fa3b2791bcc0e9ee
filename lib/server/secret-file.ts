import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { EnvironmentError } from './env';

const secretName = 'holdfast.secret';
const secretBytes = 48;
/** For the owner alone: whoever reads one of these files can be anybody. */
const ownerOnly = 0o600;

/** Where what belongs to a SQLite file is kept: beside it. */
export function besideDatabase(databaseUrl: string, name: string): string {
  return path.join(path.dirname(databaseUrl.slice('file:'.length)), name);
}

/**
 * The secret that signs sessions, made at the first start and kept beside the database.
 *
 * @throws EnvironmentError if what is there is no secret.
 */
export async function readSecret(databaseUrl: string): Promise<string> {
  const file = besideDatabase(databaseUrl, secretName);
  await writeOnce(file, randomBytes(secretBytes).toString('base64url'));
  const secret = (await readFile(file, 'utf8')).trim();
  if (secret.length >= 32) return secret;
  throw new EnvironmentError(
    `${file} must have at least 32 characters: remove it to have another made, which ends all sessions`,
  );
}

/**
 * Writes a file that only its owner may read, whole or not at all, unless it is there. Of two processes that start at once
 * one writes, and both read the same.
 *
 * @returns whether it was written.
 */
export async function writeOnce(file: string, content: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, `${content}\n`, { mode: ownerOnly, flag: 'wx' });
    await link(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
