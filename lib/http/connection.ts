import type { Connection } from '@/lib/access/trusted-proxies';

const unknown: Connection = { address: null, isEncrypted: false };
const connections = new WeakMap<Request, Connection>();

/** Told by the door that has the socket. No header can claim it. */
export function noteConnection(request: Request, connection: Connection): void {
  connections.set(request, connection);
}

const cuts = new WeakMap<Request, () => void>();

/** Told by a door that can break off a single connection. */
export function noteCut(request: Request, cut: () => void): void {
  cuts.set(request, cut);
}

export function cutOf(request: Request): (() => void) | null {
  return cuts.get(request) ?? null;
}

export function connectionOf(request: Request): Connection {
  return connections.get(request) ?? unknown;
}
