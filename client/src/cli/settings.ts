import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

import { UsageError } from './usage.js';

/** Where the service is and with which key: an option, the environment, or what `holdfast login` has stored. */
export interface Settings {
  readonly url: string;
  readonly apiKey: string | undefined;
}

const urlDefault = 'http://127.0.0.1:3000';

export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** The stored key goes to the address that it was stored with, and to no other. */
export function readSettings(urlGiven: string | undefined): Settings {
  const { HOLDFAST_URL: urlSet, HOLDFAST_API_KEY: keySet } = environment();
  const stored = readStored();
  const url = urlGiven ?? (urlSet === '' ? undefined : urlSet) ?? stored?.url ?? urlDefault;
  const apiKey = keySet === undefined || keySet === '' ? undefined : keySet;
  return { url, apiKey: apiKey ?? (stored?.url === url ? stored.apiKey : undefined) };
}

export function settingsFile(): string {
  const { XDG_CONFIG_HOME: configHome } = environment();
  const isSet = configHome !== undefined && path.isAbsolute(configHome);
  return path.join(isSet ? configHome : path.join(homedir(), '.config'), 'holdfast', 'login.json');
}

/** Readable by its owner alone at every moment; a reader sees the old one or the new one. */
export function storeSettings({ url, apiKey }: Settings): string {
  const file = settingsFile();
  const temporary = `${file}.${process.pid}`;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  rmSync(temporary, { force: true });
  writeFileSync(temporary, `${JSON.stringify({ url, apiKey })}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, file);
  return file;
}

function readStored(): Settings | undefined {
  const file = settingsFile();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  try {
    const { url, apiKey } = JSON.parse(text) as { url: unknown; apiKey: unknown };
    if (typeof url === 'string' && typeof apiKey === 'string') return { url, apiKey };
  } catch {
    // Said below.
  }
  throw new UsageError(`${file} can't be read: run holdfast login again`);
}
