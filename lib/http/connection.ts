import type { Connection } from '@/lib/access/trusted-proxies';

/** The connection that a request came by, as a door knows it that has the socket. */
export interface DoorConnection extends Connection {
  /** Breaks this connection off, and no other. */
  readonly cut: () => void;
}

const unknown: Connection = { address: null, isEncrypted: false };
const connections = new WeakMap<Request, DoorConnection>();

/** Told by the door that has the socket. No header can claim it. */
export function noteConnection(request: Request, connection: DoorConnection): void {
  connections.set(request, connection);
}

/** Null behind a door that can't break off a single connection. */
export function cutOf(request: Request): (() => void) | null {
  return connections.get(request)?.cut ?? null;
}

export function connectionOf(request: Request): Connection {
  return connections.get(request) ?? unknown;
}
