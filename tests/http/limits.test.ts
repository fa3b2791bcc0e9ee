import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createApi, type Api } from '../support/api';
import { fresh } from '../support/both-doors';
import { adminEnvironment, testAdmin } from '../support/callers';
import { trySignIn } from '../support/people';
import { doors, startServer, type TestServer } from '../support/server';

const callsPerSecond = 20;

describe.each(doors)('limits, through %s', (door) => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await startServer({
      door,
      environment: {
        ...adminEnvironment,
        HOLDFAST_CALLS_PER_SECOND: String(callsPerSecond),
      },
    });
    api = createApi(server);
  });
  afterAll(() => server.stop());

  test('five hundred guesses at a password, each with another forwarded address, are soon not even made', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 500 }, async (_, number) => {
        const forged = `10.${number % 250}.${Math.trunc(number / 250)}.1`;
        const answer = await trySignIn(
          server,
          { ...testAdmin, password: `guess number ${number}` },
          { 'x-forwarded-for': forged, 'x-real-ip': forged, forwarded: `for=${forged}` },
        );
        if (answer.status === 429) expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
        return answer.status;
      }),
    );
    const guesses = statuses.filter((status) => status === 401).length;
    expect(guesses).toBeGreaterThan(0);
    expect(guesses).toBeLessThanOrEqual(12);
    expect(statuses.filter((status) => status === 429)).toHaveLength(500 - guesses);
    // Whoever comes meanwhile with the right password has to wait too: nobody learns that it is the right one.
    expect((await trySignIn(server, testAdmin)).status).toBe(429);
  });

  test('guesses at many accounts from one address are limited as well', async () => {
    const statuses: number[] = [];
    for (let number = 0; number < 60; number += 1) {
      const email = `nobody-${number}@example.com`;
      statuses.push((await trySignIn(server, { email, password: 'a long guess' })).status);
    }
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(20);
  });

  test('calls of a key beyond its rate are told to wait, and its renewals go on', async () => {
    const resource = fresh();
    await api.grant(resource);
    const flood = await Promise.all(
      Array.from({ length: callsPerSecond * 5 }, () => api.call('list')),
    );
    const refused = flood.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(callsPerSecond);
    for (const answer of refused) {
      expect(answer.problem().code).toBe('too-many-requests');
      expect(answer.headers['retry-after']).toBe('1');
    }
    const body = { owner: 'owner', ttl_ms: 60_000 };
    const renewals = await Promise.all(
      Array.from({ length: 30 }, () => api.call('renew', { resource, body })),
    );
    expect(renewals.map(({ status }) => status)).toEqual(renewals.map(() => 200));
    expect((await api.call('release', { resource, body: { owner: 'owner' } })).status).toBe(204);
  });

  test('renewals of what is not held are limited too', async () => {
    const body = { owner: 'owner', ttl_ms: 60_000 };
    const resource = fresh();
    const flood = await Promise.all(
      Array.from({ length: 200 }, () => api.call('renew', { resource, body })),
    );
    expect(flood.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  });
});

describe('behind a proxy', () => {
  const publicUrl = 'https://locks.example.com';
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({
      environment: {
        ...adminEnvironment,
        HOLDFAST_PUBLIC_URL: publicUrl,
        HOLDFAST_TRUSTED_PROXIES: '127.0.0.0/8, ::1',
      },
    });
  });
  afterAll(() => server.stop());
  const byProxy = { host: 'locks.example.com', 'x-forwarded-proto': 'https', origin: publicUrl };

  test('the cookie is for TLS alone, and browsers are to come by nothing else', async () => {
    const answer = await trySignIn(server, testAdmin, byProxy);
    expect(answer.status).toBe(200);
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      /^__Secure-holdfast\.session_token=.*; Secure/i,
    );
    expect(answer.headers['strict-transport-security']).toMatch(/^max-age=\d{8}/);
    const cookie = answer.headers['set-cookie']?.[0]?.split(';', 1).join() ?? '';
    const person = createApi(server, { ...byProxy, cookie });
    expect((await person.call('listKeys')).status).toBe(200);
    const hold = { resource: fresh(), body: { reason: 'a test', ttl_seconds: 60 } };
    expect((await person.call('hold', hold)).status).toBe(200);
    // The same cookie over a connection that nobody encrypted is none.
    const plain = createApi(server, { cookie, origin: publicUrl, host: 'locks.example.com' });
    expect((await plain.call('listKeys')).status).toBe(401);
  });

  test('the address that a proxy saw has the limit, and not what its caller wrote', async () => {
    const from = (list: string) =>
      trySignIn(
        server,
        { email: `${fresh('x')}@example.com`, password: 'a long guess' },
        { ...byProxy, 'x-forwarded-for': list },
      );
    const flood = await Promise.all(
      Array.from({ length: 40 }, (_, number) => from(`10.9.${number}.1, 203.0.113.7`)),
    );
    expect(flood.map(({ status }) => status)).toContain(429);
    expect((await from('203.0.113.7, 203.0.113.8')).status).toBe(401);
  }, 120_000);
});
