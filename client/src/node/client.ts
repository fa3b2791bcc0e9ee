import { hostname } from 'node:os';

import { createClientAt, type Client, type ClientOptions } from '../client.js';
import { version } from '../version.js';

export * from '../exports.js';

/** @throws BadArgumentError. */
export function createClient(options: ClientOptions): Client {
  const host = hostName();
  const pid = String(process.pid);
  const metadata = { host, pid, client_version: version };
  return createClientAt({ metadata, ownerPrefix: `${host}/${pid}` }, options);
}

/** What is in a host's name is up to its owner, and it must fit into a token of 255 bytes. */
function hostName(): string {
  try {
    return hostname()
      .replace(/[^\w.-]/g, '-')
      .slice(0, 100);
  } catch {
    // Deno tells it only to a program that was given `--allow-sys`; a lock needs no name of a host.
    return 'unknown';
  }
}
