import { expect, test } from 'vitest';

import { createApi, outcomeOf } from '../support/api';
import { everywhere, fresh } from '../support/both-doors';
import { adminEnvironment, bearer, testKey } from '../support/callers';
import { dataOf, openReader } from '../support/event-reader';
import { signIn } from '../support/people';
import { poll } from '../support/waiting';

const path = '/api/events/stream';

everywhere(
  'a stream of an instance that serves one at a time',
  (api, server) => {
    test('is refused as unavailable while there is another, and served after it', async () => {
      const reader = await openReader(server.url, path, bearer(testKey));
      expect(reader.status).toBe(200);
      const refused = await api.call('streamEvents');
      expect(outcomeOf(refused)).toBe('503 unavailable');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      // Only streams are scarce.
      expect(outcomeOf(await api.call('list'))).toBe('200');
      reader.close();
      await expect
        .poll(
          async () => {
            const again = await openReader(server.url, path, bearer(testKey));
            again.close();
            return again.status;
          },
          { timeout: 10_000 },
        )
        .toBe(200);
    });

    test('ends within 5 s of the end of its key', async () => {
      const admin = createApi(server, await signIn(server));
      // As long as a slow machine may need to open it.
      const expiresMs = Date.now() + 8_000;
      const body = {
        name: fresh('key'),
        client: 'svc',
        scopes: ['read'],
        patterns: ['*'],
        expires_at: new Date(expiresMs).toISOString(),
      };
      const { secret } = (await admin.call('createKey', { body })).value();
      // The place of the reader before may not have been given back yet.
      const reader = await poll(
        async () => {
          const opened = await openOnce(secret);
          if (opened.status === 200) return opened;
          opened.close();
          return null;
        },
        { withinMs: 5_000, describe: () => 'the stream was not opened' },
      );
      const resource = fresh();
      await api.grant(resource);
      await reader.find((message) => dataOf(message).resource === resource);
      expect(reader.isOver()).toBe(false);
      await reader.untilOver(expiresMs - Date.now() + 5_000);
      expect((await openOnce(secret)).status).toBe(401);
    });

    const openOnce = (secret: string) => openReader(server.url, path, bearer(secret));
  },
  { ...adminEnvironment, HOLDFAST_STREAMS_MAX: '1' },
);
