import { expect, test } from 'vitest';

import { problemAnswer } from '@/lib/contract/problems';

import { outcomeOf } from '../support/api';
import { testKey } from '../support/callers';
import { fresh, throughDoor } from '../support/both-doors';
import { sendText } from '../support/http';
import { deadline } from '../support/waiting';

throughDoor('npm start', 'what is not quite HTTP', (api, server) => {
  const json = '{"owner":"owner","ttl_ms":60000}';
  const type = 'Content-Type: application/json';
  const close = 'Connection: close';

  test.each([
    ['a method that is none', 'NOPE /api/locks HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a space in the path', 'GET /api/locks/a b HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    [
      'bare UTF-8 in the path',
      'GET /api/locks/caf\u00c3\u00a9 HTTP/1.1\r\nHost: localhost\r\n\r\n',
    ],
    ['a path without a slash', 'GET api/locks HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    [
      'two lengths',
      `POST /api/locks/a HTTP/1.1\r\nHost: localhost\r\n${type}\r\nContent-Length: 5\r\nContent-Length: 32\r\n\r\n${json}`,
    ],
    [
      'a length and chunks',
      `POST /api/locks/a HTTP/1.1\r\nHost: localhost\r\n${type}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'a negative length',
      `POST /api/locks/a HTTP/1.1\r\nHost: localhost\r\n${type}\r\nContent-Length: -1\r\n\r\n`,
    ],
    [
      'headers beyond any reason',
      `GET /api/locks HTTP/1.1\r\nHost: localhost\r\nX-A: ${'x'.repeat(100_000)}\r\n\r\n`,
    ],
    [
      'a null byte in a header',
      'GET /api/locks HTTP/1.1\r\nHost: localhost\r\nX-A: a\u0000b\r\n\r\n',
    ],
  ])('is refused as a problem, and the connection closed: %s', async (_, text) => {
    const answer = await sendText(server.url, text);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 (?:400|431) /);
    expect(head).toMatch(/^Cache-Control: no-store$/im);
    expect(head).toMatch(/^X-Request-Id: [\w-]+$/im);
    expect(head).toMatch(/^Content-Type: application\/problem\+json$/im);
    expect(problemAnswer.parse(JSON.parse(body)).code).toBe('invalid-request');
    expect(outcomeOf(await api.call('live'))).toBe('200');
  });

  test('headers that never end are answered in time, and the connection closed', async () => {
    const answer = sendText(server.url, 'GET /api/locks HTTP/1.1\r\nHost: localhost\r\nX-A: a');
    expect(await deadline(answer, 20_000, () => 'it is still open')).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('a request without a host is refused, since nobody can tell to whom it was addressed', async () => {
    const answer = await sendText(server.url, `GET /api/locks HTTP/1.0\r\n${close}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  test.each(['h2c', 'websocket'])(
    'an offer to speak %s is passed over, and the call served',
    async (protocol) => {
      // A page first, so that whatever the pages set up is there.
      await sendText(server.url, `GET /locks HTTP/1.1\r\nHost: localhost\r\n${close}\r\n\r\n`);
      const answer = await sendText(
        server.url,
        [
          `POST /api/locks/${fresh()} HTTP/1.1`,
          'Host: localhost',
          `Authorization: Bearer ${testKey}`,
          'Connection: Upgrade, HTTP2-Settings, close',
          `Upgrade: ${protocol}`,
          'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
          type,
          `Content-Length: ${json.length}`,
          '',
          json,
        ].join('\r\n'),
      );
      expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*"acquired":true/);
    },
  );

  test('a target that is a whole URL means its path, and its authority is the host', async () => {
    const get = (target: string, more = '') =>
      sendText(server.url, `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${more}${close}\r\n\r\n`);
    expect(await get('http://127.0.0.1:3000/api/health/live')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await get('http://not^a^name/api/health/live')).toMatch(/^HTTP\/1\.1 400 /);
    const broken = 'http://127.0.0.1/api/locks/..';
    expect(await get(broken)).toMatch(/^HTTP\/1\.1 401 /);
    const key = `Authorization: Bearer ${testKey}\r\n`;
    expect(await get(broken, key)).toMatch(/^HTTP\/1\.1 422 /);
  });

  test.each(['PUT', 'POST', 'DELETE', 'TRACE', 'OPTIONS'])(
    'a page does not take %s',
    async (method) => {
      const answer = await sendText(
        server.url,
        `${method} /locks HTTP/1.1\r\nHost: localhost\r\n${close}\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 405 /);
      expect(answer).toMatch(/^Allow: GET, HEAD$/im);
    },
  );

  test('a foreign host after our own does not slip through', async () => {
    const hosts = 'Host: example.com\r\nHost: localhost';
    const answer = await sendText(
      server.url,
      `GET /api/locks HTTP/1.1\r\n${hosts}\r\n${close}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  test('a body that breaks off changes nothing, and the next call is served', async () => {
    const resource = fresh();
    const broken = [
      `POST /api/locks/${resource} HTTP/1.1\r\nHost: localhost\r\n${type}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${json}\r\n0\r\n\r\n`,
    ];
    for (const text of broken) await sendText(server.url, text);
    expect(outcomeOf(await api.call('inspect', { resource }))).toBe('404 not-found');
  });
});
