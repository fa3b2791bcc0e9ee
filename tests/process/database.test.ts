import { readFileSync, renameSync, writeFileSync } from 'node:fs';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createApi, outcomeOf, type Api } from '../support/api';
import { adminEnvironment } from '../support/callers';
import { fresh, untilExpired } from '../support/both-doors';
import { change, dump, rowsOf } from '../support/database';
import { startServer, type TestServer } from '../support/server';

const hold = { reason: 'migration', ttl_seconds: 600 };

describe('what happens to the database behind the service', () => {
  let server: TestServer;
  let api: Api;
  beforeEach(async () => {
    server = await startServer({ environment: adminEnvironment });
    api = createApi(server);
  });
  afterEach(() => server.stop());

  const acquire = (resource: string) =>
    api.call('acquire', { resource, body: { owner: 'another', ttl_ms: 60_000 } });

  const renew = (resource: string, fencing_token: number) =>
    api.call('renew', { resource, body: { owner: 'owner', ttl_ms: 60_000, fencing_token } });

  test('a lock row deleted by hand is free at once, and its owner has lost it', async () => {
    const resource = fresh();
    const lock = await api.grant(resource);
    expect(change(server.databaseFile, 'DELETE FROM distributed_locks')).toBe(1);
    expect(outcomeOf(await renew(resource, lock.fencing_token))).toBe('404 not-found');
    const next = await api.grant(resource, { owner: 'next' });
    expect(next.fencing_token).toBeGreaterThan(lock.fencing_token);
  });

  test('history that was thinned out lowers no token', async () => {
    const lock = await api.grant(fresh());
    await api.call('release', { resource: lock.resource, body: { owner: 'owner' } });
    change(server.databaseFile, 'DELETE FROM lock_events');
    await server.restart();
    expect((await api.grant(fresh())).fencing_token).toBeGreaterThan(lock.fencing_token);
  });

  test('a file that was moved away or replaced grants nothing, and serves again once it is back', async () => {
    const resource = fresh();
    const lock = await api.grant(resource);
    const { databaseFile } = server;
    const aside = `${databaseFile}.aside`;
    renameSync(databaseFile, aside);
    expect(outcomeOf(await acquire(fresh()))).toBe('503 store-unavailable');
    expect(outcomeOf(await api.call('ready'))).toBe('503 store-unavailable');
    writeFileSync(databaseFile, '');
    expect(outcomeOf(await acquire(resource))).toBe('503 store-unavailable');
    expect(outcomeOf(await renew(resource, lock.fencing_token))).toBe('503 store-unavailable');
    renameSync(aside, databaseFile);
    expect(outcomeOf(await renew(resource, lock.fencing_token))).toBe('200');
    expect(server.log()).toContain('was removed or replaced');
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'a restart after %s changes no lock',
    async (signal) => {
      const live = await api.grant(fresh(), { metadata: { host: 'a' } });
      const over = await api.grant(fresh(), { ttlMs: 2_000 });
      const held = (await api.call('hold', { resource: fresh(), body: hold })).value().lock;
      const request = { fencing_token: live.fencing_token, reason: 'deploy waits' };
      await api.call('askRelease', { resource: live.resource, body: request });
      await untilExpired(api, over.resource);
      const before = dump(server.databaseFile);
      await server.kill(signal);
      await server.restart();
      expect(dump(server.databaseFile)).toEqual(before);
      const renewed = (await renew(live.resource, live.fencing_token)).value().lock;
      expect(renewed).toMatchObject({ id: live.id, metadata: { host: 'a' } });
      expect(renewed.release_requested?.reason).toBe('deploy waits');
      const seen = await api.call('inspect', { resource: held.resource });
      expect(seen.value().lock.condition).toBe('closed');
      expect(outcomeOf(await renew(over.resource, over.fencing_token))).toBe('409 lock-expired');
    },
  );

  test('an operator’s eviction is remembered over a restart', async () => {
    const { resource, fencing_token } = await api.grant(fresh());
    const body = { fencing_token, reason: 'its host is gone' };
    await api.call('forceRelease', { resource, body });
    await server.restart();
    const answer = await renew(resource, fencing_token);
    expect(answer.problem().forced?.reason).toBe('its host is gone');
  });

  test('a lease lasts longer when the clock steps back, and nobody else gets it meanwhile', async () => {
    const resource = fresh();
    const lock = await api.grant(resource);
    // The same, seen from the row: all that it knows lies an hour in the future.
    change(
      server.databaseFile,
      'UPDATE distributed_locks SET acquired_at = acquired_at + 3600000, expires_at = expires_at + 3600000',
    );
    const other = { owner: 'other', ttl_ms: 60_000 };
    const denied = (await api.call('acquire', { resource, body: other })).value();
    expect(denied).toMatchObject({ acquired: false, retry_after_ms: 5_000 });
    const body = { owner: 'owner', fencing_token: lock.fencing_token };
    expect(outcomeOf(await api.call('release', { resource, body }))).toBe('204');
    const next = await api.grant(resource, { owner: 'other' });
    expect(next.fencing_token).toBeGreaterThan(lock.fencing_token);
    const { events } = (await api.call('lockEvents', { resource })).value();
    expect(events.find((event) => event.kind === 'released')?.held_ms).toBe(0);
  });

  test.each([2_147_483_647, 4_294_967_295, 9_007_199_254_740_990])(
    'the token after %d is the next whole number, told exactly',
    async (value) => {
      change(server.databaseFile, 'UPDATE fencing_counter SET value = ?', value);
      const { resource, fencing_token } = await api.grant(fresh());
      expect(fencing_token).toBe(value + 1);
      expect(outcomeOf(await renew(resource, fencing_token))).toBe('200');
      const { lock } = (await api.call('inspect', { resource })).value();
      expect(lock.fencing_token).toBe(value + 1);
      const { events } = (await api.call('lockEvents', { resource })).value();
      expect(events[0]?.fencing_token).toBe(value + 1);
    },
  );

  test('when the tokens are used up nothing is granted, and what is held stays held', async () => {
    const held = await api.grant(fresh());
    const most = Number.MAX_SAFE_INTEGER;
    change(server.databaseFile, 'UPDATE fencing_counter SET value = ?', most);
    const body = { owner: 'owner', ttl_ms: 60_000 };
    const answer = await api.call('acquire', { resource: fresh(), body });
    expect(outcomeOf(answer)).toBe('503 store-unavailable');
    expect(outcomeOf(await renew(held.resource, held.fencing_token))).toBe('200');
    expect(rowsOf(server.databaseFile, 'SELECT count(*) AS locks FROM distributed_locks')).toEqual([
      { locks: 1 },
    ]);
  });

  test('a denied acquire writes nothing, not even a counter of the database itself', async () => {
    const { resource } = await api.grant(fresh());
    const held = (await api.call('hold', { resource: fresh(), body: hold })).value().lock;
    const files = [server.databaseFile, `${server.databaseFile}-wal`];
    const before = files.map((file) => readFileSync(file));
    const body = { owner: 'other', ttl_ms: 60_000 };
    for (let count = 0; count < 20; count += 1) {
      for (const name of [resource, held.resource]) {
        const answer = (await api.call('acquire', { resource: name, body })).value();
        expect(answer.acquired).toBe(false);
      }
    }
    const isSame = files.map((file, index) => before[index]?.equals(readFileSync(file)));
    expect(isSame).toEqual([true, true]);
  });

  test('a time as text never gets into the table', () => {
    const insert = `INSERT INTO distributed_locks
      (resource, owner, acquired_at, expires_at, ttl_ms, fencing_token) VALUES ('a', 'b', ?, ?, 1, 1)`;
    const time = '2026-05-01T09:30:00.000Z';
    expect(() => change(server.databaseFile, insert, time, time)).toThrow(/CHECK/);
  });
});
