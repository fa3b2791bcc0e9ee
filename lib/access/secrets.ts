import { hash, randomBytes } from 'node:crypto';

/** Secrets that are told once and kept as their SHA-256 alone: they are random, so nothing slower is needed. */

const prefixBytes = 6;
const secretBytes = 32;

/** A key's secret: `hf_`, a part that may be shown, and 256 random bits. */
export function newKeySecret(): { readonly secret: string; readonly prefix: string } {
  const prefix = `hf_${randomBytes(prefixBytes).toString('hex')}`;
  return { secret: `${prefix}_${randomBytes(secretBytes).toString('base64url')}`, prefix };
}

export function newLinkToken(): string {
  return `hfl_${randomBytes(secretBytes).toString('base64url')}`;
}

export function hashOfSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}
