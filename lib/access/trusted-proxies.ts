import { BlockList, isIP } from 'node:net';

/** What the socket knows of a request, which a `Request` does not tell. */
export interface Connection {
  /** Null if the door does not say. */
  readonly address: string | null;
  readonly isEncrypted: boolean;
}

/** Where a request comes from, with what trusted proxies say of it. */
export interface Source {
  readonly address: string | null;
  readonly isTls: boolean;
}

/** Addresses and networks whose forwarding headers are believed. */
export type TrustedProxies = BlockList;

/** @param list addresses and networks, such as `10.0.0.0/8, ::1`. @throws RangeError naming the wrong one. */
export function parseTrustedProxies(list: string): TrustedProxies {
  const trusted = new BlockList();
  for (const entry of list.split(',').map((word) => word.trim())) {
    if (entry === '') continue;
    const [address = '', bits] = entry.split('/');
    const family = isIP(address);
    if (family === 0) throw new RangeError(entry);
    const type = family === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(address, type);
    else if (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32)) {
      trusted.addSubnet(address, Number(bits), type);
    } else throw new RangeError(entry);
  }
  return trusted;
}

/**
 * `X-Forwarded-Proto` and `X-Forwarded-For` count only from a trusted proxy, and of the addresses only those that such
 * proxies have added: what stands further left anybody can write.
 */
export function sourceOf(
  headers: Headers,
  { address, isEncrypted }: Connection,
  trusted: TrustedProxies,
): Source {
  const peer = address === null ? null : plainAddress(address);
  if (peer === null || !isTrusted(peer, trusted)) return { address: peer, isTls: isEncrypted };
  const proto = wordsOf(headers.get('x-forwarded-proto')).at(-1)?.toLowerCase();
  const hops = wordsOf(headers.get('x-forwarded-for')).map(plainAddress);
  const client = hops.findLast((hop) => !isTrusted(hop, trusted));
  return { address: client ?? hops[0] ?? peer, isTls: isEncrypted || proto === 'https' };
}

function isTrusted(address: string, trusted: TrustedProxies): boolean {
  const family = isIP(address);
  return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

function wordsOf(header: string | null): string[] {
  return (header ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** A socket of both families tells 10.0.0.7 as ::ffff:10.0.0.7. */
function plainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
