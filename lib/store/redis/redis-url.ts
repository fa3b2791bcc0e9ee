/** Where the locks are, as `LOCK_STORE_URL` names it. */
export interface RedisTarget {
  readonly kind: 'single' | 'sentinel' | 'cluster';
  /** One server, or those that know of the others. */
  readonly hosts: readonly RedisHost[];
  /** The name of the primary that the sentinels watch. */
  readonly primary: string | null;
  /** Null for a connection in the clear. */
  readonly tls: TlsFiles | null;
  readonly username: string | null;
  readonly password: string | null;
  /** What the sentinels themselves ask for. */
  readonly sentinelPassword: string | null;
  readonly database: number;
}

/** Paths of PEM files; null for what Node trusts by itself, and for no certificate of our own. */
interface TlsFiles {
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

interface RedisHost {
  readonly host: string;
  readonly port: number;
}

const shape =
  /^(?<scheme>redis|rediss|valkey|valkeys)(?:\+(?<kind>sentinel|cluster))?:\/\/(?:(?<user>[^@/]*)@)?(?<hosts>[^/?#@]+)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/;
const portOf = { single: 6379, cluster: 6379, sentinel: 26_379 };

export const redisUrlShape =
  'must be redis://[user:password@]host:6379[/database], rediss://… for TLS, redis+sentinel://host:26379,…/name[/database] or redis+cluster://host:6379,…';

/** @returns the target, or what is wrong, in words that never repeat the address: it may hold a password. */
export function parseRedisUrl(url: string): RedisTarget | string {
  const found = shape.exec(url)?.groups;
  if (found === undefined) return redisUrlShape;
  const kind = kindOf(found['kind']);
  const hosts = (found['hosts'] ?? '').split(',').map((text) => parseHost(text, portOf[kind]));
  const credentials = parseCredentials(found['user']);
  const place = parsePath(kind, found['path'] ?? '');
  if (credentials === null) {
    return 'has special characters in its user or password that must be percent-encoded';
  }
  if (typeof place === 'string') return place;
  const isTls = found['scheme'] === 'rediss' || found['scheme'] === 'valkeys';
  const parameters = parseParameters(found['query'] ?? '', { kind, isTls });
  if (typeof parameters === 'string') return parameters;
  const known = hosts.filter((host) => host !== null);
  if (known.length < hosts.length || (kind === 'single' && hosts.length > 1)) return redisUrlShape;
  return { kind, hosts: known, ...credentials, ...place, ...parameters };
}

function kindOf(text: string | undefined): RedisTarget['kind'] {
  return text === 'sentinel' || text === 'cluster' ? text : 'single';
}

function parseHost(text: string, port: number): RedisHost | null {
  const found = /^(?:\[(?<v6>[\da-fA-F:.]+)\]|(?<name>[\w.-]+))(?::(?<port>\d{1,5}))?$/.exec(text);
  if (found?.groups === undefined) return null;
  const { v6, name, port: given } = found.groups;
  const chosen = given === undefined ? port : Number(given);
  const host = v6 ?? name;
  return host === undefined || chosen < 1 || chosen > 65_535 ? null : { host, port: chosen };
}

function parseCredentials(
  text: string | undefined,
): Pick<RedisTarget, 'username' | 'password'> | null {
  if (text === undefined || text === '') return { username: null, password: null };
  const [user = '', ...rest] = text.split(':');
  try {
    const username = decodeURIComponent(user);
    const password = decodeURIComponent(rest.join(':'));
    // `redis://:password@host` has no user; the old way of a password alone is not taken for a user.
    return {
      username: username === '' ? null : username,
      password: password === '' ? null : password,
    };
  } catch {
    return null;
  }
}

function parsePath(
  kind: RedisTarget['kind'],
  path: string,
): Pick<RedisTarget, 'primary' | 'database'> | string {
  const parts = path === '' ? [] : path.split('/');
  const primary = kind === 'sentinel' ? (parts.shift() ?? '') : null;
  if (primary === '') return 'must name the primary that the sentinels watch: …:26379/mymaster';
  const [number = '0', ...rest] = parts;
  if (!/^\d{1,5}$/.test(number) || rest.length > 0) {
    return 'must end with the number of a database, such as /0';
  }
  if (kind === 'cluster' && number !== '0') return 'names a database, and a cluster has only one';
  return { primary, database: Number(number) };
}

/** Named as in `DATABASE_URL`, where they mean the same. */
const tlsParameters = ['sslrootcert', 'sslcert', 'sslkey'];

function parseParameters(
  query: string,
  { kind, isTls }: { readonly kind: RedisTarget['kind']; readonly isTls: boolean },
): Pick<RedisTarget, 'tls' | 'sentinelPassword'> | string {
  const given = new URLSearchParams(query);
  const meaningful = [
    ...(isTls ? tlsParameters : []),
    ...(kind === 'sentinel' ? ['sentinelpassword'] : []),
  ];
  const idle = [...given.keys()].filter((name) => !meaningful.includes(name));
  if (idle.length > 0) {
    const names = idle.map((name) => (/^\w{1,20}$/.test(name) ? name : '…'));
    return `has parameters that would have no effect: ${names.join(', ')} (rediss:// takes ${tlsParameters.join(', ')}; redis+sentinel:// takes sentinelpassword)`;
  }
  const [ca, cert, key] = tlsParameters.map((name) => given.get(name));
  if ((cert ?? '') === '' ? (key ?? '') !== '' : (key ?? '') === '') {
    return 'takes sslcert and sslkey together or not';
  }
  const tls = isTls ? { ca: ca ?? null, cert: cert ?? null, key: key ?? null } : null;
  return { tls, sentinelPassword: given.get('sentinelpassword') };
}
