import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** 64 MiB and about a quarter of a second for each guess: what OWASP asks of scrypt. */
const cost = { N: 2 ** 16, r: 8, p: 2 } as const;
const memoryBytesMax = 256 * 1024 * 1024;
const keyBytes = 32;

/** At most so many at once: each takes much memory, and one of the few threads that also serve files and names. */
const atOnceMax = 2;
let underWay = 0;
const waiting: (() => void)[] = [];

/** `scrypt$N$r$p$salt$key`, so that the cost can be raised later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('hex'), key.toString('hex')].join('$');
}

export async function isPassword(hash: string, password: string): Promise<boolean> {
  const [name, N, r, p, salt, key] = hash.split('$');
  if (name !== 'scrypt' || salt === undefined || key === undefined) return false;
  const expected = Buffer.from(key, 'hex');
  const given = await derive(password, Buffer.from(salt, 'hex'), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return expected.length === given.length && timingSafeEqual(expected, given);
}

async function derive(
  password: string,
  salt: Buffer,
  { N, r, p }: { readonly N: number; readonly r: number; readonly p: number },
): Promise<Buffer> {
  await enter();
  try {
    return await new Promise((resolve, reject) => {
      const options = { N, r, p, maxmem: memoryBytesMax };
      scrypt(password.normalize('NFKC'), salt, keyBytes, options, (error, key) => {
        if (error === null) resolve(key);
        else reject(error);
      });
    });
  } finally {
    leave();
  }
}

async function enter(): Promise<void> {
  if (underWay >= atOnceMax) await new Promise<void>((resolve) => waiting.push(resolve));
  underWay += 1;
}

function leave(): void {
  underWay -= 1;
  waiting.shift()?.();
}
