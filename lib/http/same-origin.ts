import { isIPv4, isIPv6 } from 'node:net';

import { Problem } from './problem';

/**
 * The defence of what a browser adds by itself, the session cookie.
 *
 * A page of another site must not write with it: a write wants an `Origin`, which no page can forge, and it must be the
 * service's own. And the service's own name must not have been rebound to it by somebody else: without a public URL only
 * addresses and loopback names are taken, which nobody can rebind.
 *
 * @throws Problem 403
 */
export function assertSameOrigin(
  request: Request,
  { isTls, publicOrigin }: { readonly isTls: boolean; readonly publicOrigin: string | null },
): void {
  const own = ownOrigins(request.headers.get('host'), isTls, publicOrigin);
  const origin = request.headers.get('origin');
  if (origin === null) {
    if (isReading(request.method) && own.length > 0) return;
    throw new Problem(
      'forbidden',
      own.length > 0
        ? 'A write by a session needs the header Origin, which browsers send.'
        : 'Sessions are not served under this name. Set HOLDFAST_PUBLIC_URL to the address in use.',
    );
  }
  if (!own.includes(origin.toLowerCase())) {
    throw new Problem(
      'forbidden',
      'A page of another origin may not use this session. Should this page be the service’s own, set HOLDFAST_PUBLIC_URL to its address.',
    );
  }
}

export function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function ownOrigins(host: string | null, isTls: boolean, publicOrigin: string | null): string[] {
  const name = (host ?? '').toLowerCase();
  const isPublic = publicOrigin !== null && name === new URL(publicOrigin).host;
  if (isPublic) return [publicOrigin];
  return isUnbindable(name) ? [`${isTls ? 'https' : 'http'}://${name}`] : [];
}

/** No name that a name server could answer for. */
function isUnbindable(host: string): boolean {
  const [, name = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host) ?? [];
  if (name.startsWith('[')) return isIPv6(name.slice(1, -1));
  return isIPv4(name) || name === 'localhost' || name.endsWith('.localhost');
}
