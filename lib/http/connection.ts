import type { Connection } from '@/lib/access/trusted-proxies';

const unknown: Connection = { address: null, isEncrypted: false };
const connections = new WeakMap<Request, Connection>();

/** Told by the door that has the socket. No header can claim it. */
export function noteConnection(request: Request, connection: Connection): void {
  connections.set(request, connection);
}

export function connectionOf(request: Request): Connection {
  return connections.get(request) ?? unknown;
}
