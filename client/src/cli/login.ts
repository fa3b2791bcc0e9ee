import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

import { checkUrl } from '../arguments.js';
import { NotAllowedError } from '../errors.js';
import type { MeAnswer } from '../wire.js';
import { createApi } from './api.js';
import { only, type Arguments } from './options.js';
import { print, printJson } from './print.js';
import { storeSettings, type Settings } from './settings.js';
import { shown } from './text.js';
import { exitCodes, UsageError } from './usage.js';

/** Stores the address and a key, once the service has taken the key. The key is read from the input, and never shown. */
export async function login({ url }: Settings, given: Arguments): Promise<number> {
  only(given, []);
  const apiKey = await readKey();
  if (apiKey === '') throw new UsageError('Give the key on the input');
  const settings = { url: checkUrl(url), apiKey };
  const me = await createApi(settings).read<MeAnswer>('/api/me');
  if (me?.kind !== 'key') throw new NotAllowedError(401, 'That is no API key');
  const file = storeSettings(settings);
  if (given.flag('json'))
    printJson({ url: settings.url, client: me.client, scopes: me.scopes, file });
  else print(`${shown(me.client)} may ${me.scopes.join(', ')}. Stored in ${file}\n`);
  return exitCodes.ok;
}

async function readKey(): Promise<string> {
  const { stdin, stderr } = process;
  if (stdin.isTTY) stderr.write('Key: ');
  // What is typed is echoed into nothing.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output, terminal: stdin.isTTY });
  try {
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    lines.close();
    if (stdin.isTTY) stderr.write('\n');
  }
}
