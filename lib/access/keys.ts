import { randomUUID } from 'node:crypto';

import type { Scope } from '@/lib/contract/access';

import type { AccessStore, EventBy, Rotated, Rotation, StoredKey } from './access-store';
import type { KeyRing } from './key-ring';
import { hashOfSecret, newKeySecret } from './secrets';

export interface KeyWanted {
  readonly name: string;
  readonly client: string;
  readonly scopes: readonly Scope[];
  readonly patterns: readonly string[];
  readonly expiresAtMs: number | null;
}

/** What an admin does with keys. Each change counts on this instance at once, and on every other within 5 s. */
export class Keys {
  readonly #store: AccessStore;
  readonly #ring: KeyRing;

  constructor(store: AccessStore, ring: KeyRing) {
    this.#store = store;
    this.#ring = ring;
  }

  list(): Promise<readonly StoredKey[]> {
    return this.#store.keys();
  }

  /** @returns the key, and its secret for the only time; null if it would be over before it began. */
  async create(wanted: KeyWanted, by: EventBy): Promise<{ key: StoredKey; secret: string } | null> {
    const nowMs = await this.#store.nowMs();
    if (wanted.expiresAtMs !== null && wanted.expiresAtMs <= nowMs) return null;
    const { secret, prefix } = newKeySecret();
    const key: StoredKey = {
      ...wanted,
      id: randomUUID(),
      prefix,
      secretHash: hashOfSecret(secret),
      createdAtMs: nowMs,
      createdBy: by.actor,
      revokedAtMs: null,
      lastUsedAtMs: null,
    };
    const { actor, requestId } = by;
    const about = { subject: key.name, client: key.client, reason: null };
    await this.#store.addKey(key, { kind: 'key_created', ...about, actor, requestId });
    await this.#ring.refreshAnew();
    return { key, secret };
  }

  /** @returns null if the key is unknown or revoked, `over` if the new one would be over before it began. */
  async rotate(
    id: string,
    wanted: Pick<Rotation, 'overlapMs' | 'expiresAtMs'>,
    by: EventBy,
  ): Promise<(Rotated & { secret: string }) | 'over' | null> {
    const { secret, prefix } = newKeySecret();
    const secretHash = hashOfSecret(secret);
    const rotation = { ...wanted, id, newId: randomUUID(), prefix, secretHash };
    const rotated = await this.#store.rotateKey(rotation, by);
    if (rotated === null || rotated === 'over') return rotated;
    await this.#ring.refreshAnew();
    return { ...rotated, secret };
  }

  /** @returns null if the key is unknown. */
  async revoke(id: string, by: EventBy): Promise<StoredKey | null> {
    const key = await this.#store.revokeKey(id, by);
    if (key !== null) await this.#ring.refreshAnew();
    return key;
  }
}
