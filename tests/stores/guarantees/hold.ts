import { expect } from 'vitest';

import { defaultActor, defaultReason, defaultTtlMs, fresh } from '../drive';
import { guarantee } from '../store-under-test';

/** An operator takes a resource out of service, or asks its holder to let go. */
export const holdGuarantees = [
  guarantee('a free resource can be held', async (at) => {
    const resource = fresh();
    const hold = await at.putHold({ resource, ttlMs: 60_000 });
    const nowMs = await at.now();
    expect(hold).toEqual({
      id: hold.id,
      resource,
      owner: `operator:${defaultActor}`,
      client: null,
      acquiredAtMs: nowMs,
      expiresAtMs: nowMs + 60_000,
      renewedAtMs: null,
      renewCount: 0,
      ttlMs: 60_000,
      fencingToken: hold.fencingToken,
      hold: { name: defaultActor, reason: defaultReason },
      releaseRequested: null,
      metadata: null,
    });
    expect(await at.inspect(resource)).toEqual(hold);
  }),

  guarantee('an expired lock is held in its row, whatever token is named', async (at) => {
    for (const named of [true, false]) {
      const over = await at.grant({ resource: fresh(), owner: 'a', metadata: { host: 'one' } });
      await at.renew(over);
      await at.askRelease(over);
      await at.clock.advance(defaultTtlMs);
      const fencingToken = named ? over.fencingToken : null;
      const hold = await at.putHold({ resource: over.resource, fencingToken });
      expect(hold).toMatchObject({ id: over.id, renewCount: 0, renewedAtMs: null, metadata: null });
      expect(hold).toMatchObject({ releaseRequested: null, client: null });
      expect(hold.fencingToken).toBeGreaterThan(over.fencingToken);
    }
  }),

  guarantee('a hold of a free resource may name a token that is gone', async (at) => {
    const gone = await at.grant({ resource: fresh(), owner: 'a' });
    await at.release(gone);
    const { resource, fencingToken } = gone;
    expect((await at.hold({ resource, fencingToken })).kind).toBe('held');
  }),

  guarantee('a live lease is not evicted by a hold that names no token or another', async (at) => {
    const seen = await at.grant({ resource: fresh(), owner: 'a' });
    const lease = await at.grant({ resource: seen.resource, owner: 'a' });
    const refused = { kind: 'lock-changed', lease };
    const { resource } = lease;
    expect(await at.hold({ resource })).toEqual(refused);
    expect(await at.hold({ resource, fencingToken: seen.fencingToken })).toEqual(refused);
    expect(await at.hold({ resource, fencingToken: lease.fencingToken + 1 })).toEqual(refused);
    expect(await at.inspect(resource)).toEqual(lease);
  }),

  guarantee('a hold evicts the lease that is named, in its row', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a', ttlMs: 60_000 });
    await at.clock.advance(1_000);
    const { resource, fencingToken } = lease;
    const hold = await at.putHold({ resource, fencingToken, ttlMs: 5_000 });
    expect(hold.id).toBe(lease.id);
    expect(hold.fencingToken).toBeGreaterThan(fencingToken);
    expect(hold.expiresAtMs).toBe((await at.now()) + 5_000);
    expect(await at.release(lease)).toEqual({ kind: 'not-owner' });
    expect(await at.inspect(resource)).toEqual(hold);
  }),

  guarantee('nobody acquires, renews or releases a hold, by whatever name', async (at) => {
    const hold = await at.putHold({ resource: fresh() });
    const { resource, owner, fencingToken } = hold;
    for (const client of [null, 'billing']) {
      const denied = { kind: 'held', holder: hold };
      expect(await at.acquire({ resource, owner, client })).toEqual(denied);
      for (const token of [null, fencingToken]) {
        const call = { client, fencingToken: token };
        expect(await at.renew(hold, call)).toEqual({ kind: 'lost', forced: null });
        expect(await at.release(hold, call)).toEqual({ kind: 'not-owner' });
      }
    }
    expect(await at.inspect(resource)).toEqual(hold);
  }),

  guarantee(
    'an expired hold is nobody to renew or release, and anybody can claim it',
    async (at) => {
      const hold = await at.putHold({ resource: fresh() });
      await at.clock.advance(defaultTtlMs - 1);
      expect((await at.acquire({ resource: hold.resource, owner: 'a' })).kind).toBe('held');
      await at.clock.advance(1);
      expect(await at.renew(hold, { client: null })).toEqual({ kind: 'lost', forced: null });
      expect(await at.release(hold, { client: null })).toEqual({ kind: 'not-owner' });
      const lease = await at.grant({ resource: hold.resource, owner: 'a' });
      expect(lease).toMatchObject({ id: hold.id, hold: null });
    },
  ),

  guarantee(
    'an operator prolongs its own hold: same row and token, the reason anew',
    async (at) => {
      const hold = await at.putHold({ resource: fresh(), ttlMs: 10_000 });
      await at.clock.advance(6_000);
      const { resource, fencingToken } = hold;
      const call = { resource, fencingToken, ttlMs: 20_000, reason: 'still at it' };
      const prolonged = await at.putHold(call);
      expect(prolonged).toEqual({
        ...hold,
        expiresAtMs: (await at.now()) + 20_000,
        ttlMs: 20_000,
        hold: { name: defaultActor, reason: 'still at it' },
      });
      expect(await at.inspect(resource)).toEqual(prolonged);
    },
  ),

  guarantee('prolonging a hold never brings its end nearer', async (at) => {
    const hold = await at.putHold({ resource: fresh(), ttlMs: 60_000 });
    const { resource, fencingToken } = hold;
    const prolonged = await at.putHold({ resource, fencingToken, ttlMs: 1_000 });
    expect(prolonged).toMatchObject({ expiresAtMs: hold.expiresAtMs, ttlMs: 1_000 });
  }),

  guarantee("one's own hold is not prolonged without its token", async (at) => {
    const lease = await at.putHold({ resource: fresh() });
    const { resource, fencingToken } = lease;
    const refused = { kind: 'lock-changed', lease };
    expect(await at.hold({ resource })).toEqual(refused);
    expect(await at.hold({ resource, fencingToken: fencingToken + 1 })).toEqual(refused);
    expect(await at.inspect(resource)).toEqual(lease);
  }),

  guarantee("another operator's hold is taken over by its token alone", async (at) => {
    const lease = await at.putHold({ resource: fresh(), actor: 'bob', ttlMs: 60_000 });
    const { resource, fencingToken } = lease;
    expect(await at.hold({ resource })).toEqual({ kind: 'lock-changed', lease });
    const hold = await at.putHold({ resource, fencingToken, ttlMs: 1_000 });
    expect(hold).toMatchObject({ id: lease.id, hold: { name: defaultActor } });
    expect(hold.fencingToken).toBeGreaterThan(fencingToken);
    expect(hold.expiresAtMs).toBe((await at.now()) + 1_000);
  }),

  guarantee('an expired hold of one’s own is held anew, with a larger token', async (at) => {
    const over = await at.putHold({ resource: fresh() });
    await at.clock.advance(defaultTtlMs);
    const { resource, fencingToken } = over;
    const hold = await at.putHold({ resource, fencingToken });
    expect(hold).toMatchObject({ id: over.id, acquiredAtMs: await at.now() });
    expect(hold.fencingToken).toBeGreaterThan(fencingToken);
  }),

  guarantee('a request to let go is carried by the lease until it ends', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.clock.advance(1_000);
    const releaseRequested = { by: 'bob', reason: 'deploying', atMs: await at.now() };
    const asked = await at.askRelease(lease, { actor: 'bob', reason: 'deploying' });
    expect(asked).toEqual({ kind: 'asked', lease: { ...lease, releaseRequested } });
    await at.clock.advance(1_000);
    expect(await at.renew(lease)).toMatchObject({ lease: { releaseRequested } });
    expect(await at.inspect(lease.resource)).toMatchObject({ releaseRequested });
    const listed = await at.list({ filter: { resourcePrefix: lease.resource } });
    expect(listed.leases).toMatchObject([{ releaseRequested }]);
    expect((await at.grant({ resource: lease.resource, owner: 'a' })).releaseRequested).toBeNull();
  }),

  guarantee('a second request to let go replaces the first', async (at) => {
    const lease = await at.grant({ resource: fresh(), owner: 'a' });
    await at.askRelease(lease, { actor: 'bob', reason: 'deploying' });
    await at.clock.advance(1_000);
    await at.askRelease(lease, { actor: 'eve', reason: 'draining' });
    const releaseRequested = { by: 'eve', reason: 'draining', atMs: await at.now() };
    expect(await at.inspect(lease.resource)).toEqual({ ...lease, releaseRequested });
  }),

  guarantee('only the live lease that was seen is asked to let go', async (at) => {
    const seen = await at.grant({ resource: fresh(), owner: 'a' });
    const lease = await at.grant({ resource: seen.resource, owner: 'a' });
    expect(await at.askRelease(seen)).toEqual({ kind: 'lock-changed', lease });
    await at.clock.advance(defaultTtlMs);
    expect(await at.askRelease(lease)).toEqual({ kind: 'lock-changed', lease });
    expect(await at.inspect(lease.resource)).toEqual(lease);
    const missing = { resource: fresh(), fencingToken: 1 };
    expect(await at.askRelease(missing)).toEqual({ kind: 'not-found' });
    const hold = await at.putHold({ resource: fresh() });
    expect(await at.askRelease(hold)).toEqual({ kind: 'lock-changed', lease: hold });
    expect(await at.inspect(hold.resource)).toEqual(hold);
  }),
];
