import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';

import type { Environment } from './env';
import { firstKeyFile } from './first-key';
import type { Services } from './services';

/**
 * Prints where the service is, the one-time link while there is no admin, and a first call that works as it is printed.
 * Of secrets only the link is printed, since nobody could be the first otherwise; it works once, and for a day.
 */
export async function announce(
  address: AddressInfo | string | null,
  environment: Environment,
  services: Services,
): Promise<void> {
  if (address === null || typeof address === 'string') return;
  const url = `http://${reachable(address)}:${address.port}`;
  const link = await services.access.members.firstAdminLink();
  const key = keyInShell(environment);
  const lines = [`Holdfast is ready at ${url}`];
  if (link !== null) {
    const people = environment.publicOrigin ?? url;
    lines.push(
      'Open this link to become the first admin. It works once, within 24 hours:',
      `  ${people}/set-up#${link}`,
    );
  }
  lines.push(
    key === null
      ? 'Services call it with an API key. Make one in the dashboard, under Keys:'
      : 'Acquire a lock for 30 seconds:',
    `  curl -X POST ${url}/api/locks/job:42 \\\n    -H "Authorization: Bearer ${key ?? 'hf_…'}" \\\n    -H 'Content-Type: application/json' -d '{"owner":"me","ttl_seconds":30}'`,
  );
  process.stdout.write(`${lines.join('\n\n')}\n`);
}

/** How a shell on this machine finds a key: never the key itself. */
function keyInShell({ apiKey, database }: Environment): string | null {
  if (apiKey !== null) return '$HOLDFAST_API_KEY';
  if (database.kind !== 'sqlite') return null;
  const file = firstKeyFile(database.url);
  return existsSync(file) ? `$(cat ${quoted(file)})` : null;
}

function quoted(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`;
}

function reachable({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return family === 'IPv6' ? `[${address}]` : address;
}
