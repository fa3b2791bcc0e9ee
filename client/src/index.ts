import { createClientAt, type Client, type ClientOptions } from './client.js';
import { version } from './version.js';

export * from './exports.js';

/** @throws BadArgumentError. */
export function createClient(options: ClientOptions): Client {
  return createClientAt({ metadata: { client_version: version }, ownerPrefix: 'web' }, options);
}
