import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createApi, outcomeOf } from '../support/api';
import { everywhere, fresh } from '../support/both-doors';
import { adminEnvironment, bearer, testKey } from '../support/callers';
import { openReader } from '../support/event-reader';
import { signIn } from '../support/people';

const docs = path.join(import.meta.dirname, '../../docs');

everywhere(
  'the metrics',
  (api, server) => {
    const read = async () => {
      const answer = await api.call('metrics');
      expect(answer.status).toBe(200);
      return new Map(
        answer.body
          .split('\n')
          .filter((line) => line !== '' && !line.startsWith('#'))
          .map((line) => {
            const [, name = '', value = ''] = /^(\S+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
            return [name, Number(value)] as const;
          }),
      );
    };
    const until = (name: string, wanted: number) =>
      expect.poll(async () => (await read()).get(name) ?? 0, { timeout: 10_000 }).toBe(wanted);

    test('count calls by endpoint and outcome, and time them', async () => {
      const before = await read();
      const resource = fresh();
      await api.grant(resource);
      for (const owner of ['a', 'b']) {
        await api.call('acquire', { resource, body: { owner, ttl_ms: 1_000 } });
      }
      await api.call('renew', { resource: fresh(), body: { owner: 'a', ttl_ms: 1_000 } });
      await api.call('acquire', { resource, body: {} });
      const after = await read();
      const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
      const calls = (verb: string, outcome: string) =>
        grown(`holdfast_calls_total{verb="${verb}",outcome="${outcome}"}`);
      expect(calls('acquire', 'granted')).toBe(1);
      expect(calls('acquire', 'held')).toBe(2);
      expect(calls('acquire', 'invalid-request')).toBe(1);
      expect(calls('renew', 'not-found')).toBe(1);
      const duration = 'holdfast_call_duration_seconds';
      expect(grown(`${duration}_count{verb="acquire"}`)).toBe(4);
      expect(grown(`${duration}_bucket{verb="acquire",le="+Inf"}`)).toBe(4);
      expect(grown(`${duration}_sum{verb="acquire"}`)).toBeGreaterThan(0);
      expect(grown(`holdfast_group_calls_sum{verb="acquire"}`)).toBeGreaterThan(0);
      expect(grown(`holdfast_store_duration_seconds_count{verb="acquire"}`)).toBeGreaterThan(0);
    });

    test('count locks by state, events by kind, and streams', async () => {
      const { counts } = (await api.call('list')).value();
      await until('holdfast_locks{state="active"}', counts.active);
      const before = await read();
      const kind = (name: string) => `holdfast_events_total{kind="${name}"}`;
      const lock = await api.grant(fresh());
      await api.grant(fresh());
      await until('holdfast_locks{state="active"}', counts.active + 2);
      await until(kind('acquired'), (before.get(kind('acquired')) ?? 0) + 2);
      const { resource, fencing_token } = lock;
      const body = { reason: 'for the test', fencing_token };
      await api.call('forceRelease', { resource, body });
      await until(kind('force_released'), (before.get(kind('force_released')) ?? 0) + 1);
      const reader = await openReader(server.url, '/api/events/stream', bearer(testKey));
      await until('holdfast_streams_open', 1);
      reader.close();
      await until('holdfast_streams_open', 0);
      const now = await read();
      expect(now.get('holdfast_store_up')).toBe(1);
      expect(now.get('holdfast_event_lag_seconds')).toBe(0);
    });

    test('have names that begin with holdfast_, and no word of a caller’s', async () => {
      const word = fresh('word').replaceAll('-', '_');
      await api.grant(word, { owner: `${word}-owner`, metadata: { host: word } });
      await api.call('inspect', { resource: `${word}-none` });
      await api.raw({ method: 'GET', path: `/api/${word}` });
      const names = [...(await read()).keys()];
      expect(names.filter((name) => !name.startsWith('holdfast_'))).toEqual([]);
      expect(names.filter((name) => name.includes(word))).toEqual([]);
    });

    test('are for keys that read everything, and for people', async () => {
      const session = await signIn(server);
      const admin = createApi(server, session);
      const as = async (scopes: readonly string[], patterns: readonly string[]) => {
        const body = { name: fresh('key'), client: 'svc', scopes, patterns };
        const { secret } = (await admin.call('createKey', { body })).value();
        return outcomeOf(await createApi(server, bearer(secret)).call('metrics'));
      };
      expect(await as(['read'], ['*'])).toBe('200');
      expect(await as(['operate'], ['*'])).toBe('200');
      expect(await as(['read'], ['a*', 'b'])).toBe('403 forbidden');
      expect(await as(['acquire'], ['*'])).toBe('403 forbidden');
      expect(outcomeOf(await admin.call('metrics'))).toBe('200');
    });

    test('every metric that the documents, the dashboard and the alerts name is there', async () => {
      await api.call('renew', { resource: fresh(), body: { owner: 'a', ttl_ms: 1_000 } });
      const { body } = await api.call('metrics');
      const known = new Set(
        [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
          type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
        ),
      );
      const files = [
        path.join(docs, 'observability.md'),
        ...readdirSync(path.join(docs, 'observability')).map((file) =>
          path.join(docs, 'observability', file),
        ),
      ];
      expect(files).toHaveLength(3);
      for (const file of files) {
        const named = new Set(readFileSync(file, 'utf8').match(/\bholdfast_\w+\b/g));
        expect(named.size, file).toBeGreaterThan(5);
        const missing = [...named].filter((name) => !known.has(name) && !name.endsWith('_'));
        expect(missing, file).toEqual([]);
      }
    });
  },
  adminEnvironment,
);
