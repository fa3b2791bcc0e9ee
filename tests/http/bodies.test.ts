import { expect, test } from 'vitest';

import { outcomeOf, refusedFields, type Api } from '../support/api';
import { fresh, everywhere } from '../support/both-doors';
import type { RawRequest } from '../support/http';

const limit = 16 * 1024;
const bulkLimit = 512 * 1024;
const good = { owner: 'owner', ttl_ms: 60_000 };

everywhere('the body of a request', (api) => {
  const post = async (request: Partial<RawRequest>, resource = fresh()) => {
    const answer = await api.raw({
      method: 'POST',
      path: `/api/locks/${resource}`,
      headers: { 'content-type': 'application/json' },
      ...request,
    });
    const code = /"code":"([a-z-]+)"/.exec(answer.body)?.[1];
    return code === undefined ? String(answer.status) : `${answer.status} ${code}`;
  };

  test.each([
    ['nothing', ''],
    ['white space', ' \n '],
    ['half an object', '{"owner":"a"'],
    ['an object and more', '{"owner":"a","ttl_ms":60000} x'],
    ['two objects', '{}{}'],
    ['single quotes', "{'owner':'a'}"],
    ['a trailing comma', '{"owner":"a","ttl_ms":60000,}'],
    ['a comment', '{"owner":"a" /* me */,"ttl_ms":60000}'],
    ['NaN', '{"owner":"a","ttl_ms":NaN}'],
    ['Infinity', '{"owner":"a","ttl_ms":Infinity}'],
    ['a leading zero', '{"owner":"a","ttl_ms":060000}'],
    ['a form', 'owner=a&ttl_ms=60000'],
    ['broken UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['UTF-16', Buffer.from('{"owner":"a","ttl_ms":60000}', 'utf16le')],
    ['deep nesting that never closes', '['.repeat(10_000)],
  ])('that is not JSON (%s) is refused with 400', async (_, body) => {
    const resource = fresh();
    expect(await post({ body }, resource)).toBe('400 invalid-request');
    expect(outcomeOf(await api.call('inspect', { resource }))).toBe('404 not-found');
  });

  test('that nests deeply is refused as any other wrong value', async () => {
    const body = '['.repeat(8_000) + ']'.repeat(8_000);
    expect(await post({ body })).toBe('422 invalid-request');
    const inside = `{"owner":"a","ttl_ms":60000,"metadata":${'{"a":'.repeat(2_000)}"x"${'}'.repeat(2_000)}}`;
    expect(await post({ body: inside })).toBe('422 invalid-request');
  });

  test('may come in chunks, without a declared length', async () => {
    const json = JSON.stringify({ ...good, owner: 'in pieces' });
    const resource = fresh();
    expect(await post({ chunks: json.split('') }, resource)).toBe('200');
    expect((await api.call('inspect', { resource })).value().lock.owner).toBe('in pieces');
  });

  test('may be split in the middle of a character', async () => {
    const bytes = Buffer.from(JSON.stringify({ ...good, owner: '🔒é' }));
    const resource = fresh();
    const chunks = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(await post({ chunks }, resource)).toBe('200');
    expect((await api.call('inspect', { resource })).value().lock.owner).toBe('🔒é');
  });

  test('of exactly the limit is read, and of one byte more is refused with 413', async () => {
    const json = JSON.stringify(good);
    expect(await post({ body: json.padEnd(limit) })).toBe('200');
    expect(await post({ body: json.padEnd(limit + 1) })).toBe('413 payload-too-large');
    expect(await post({ chunks: [json, ' '.repeat(limit - json.length)] })).toBe('200');
    expect(await post({ chunks: [json, ' '.repeat(limit + 1 - json.length)] })).toBe(
      '413 payload-too-large',
    );
  });

  test('that is far too large is refused while it is still being sent, and the next call is served', async () => {
    const resource = fresh();
    for (let count = 0; count < 5; count += 1) {
      expect(await post({ body: ' '.repeat(2 * 1024 * 1024) }, resource)).toBe(
        '413 payload-too-large',
      );
      expect(await post({ chunks: chunksOf(2 * 1024 * 1024) }, resource)).toBe(
        '413 payload-too-large',
      );
      expect(await post({ body: JSON.stringify(good) })).toBe('200');
    }
    expect(outcomeOf(await api.call('inspect', { resource }))).toBe('404 not-found');
  });

  test('of a bulk call may be larger, up to its own limit', async () => {
    const json = JSON.stringify({ locks: [{ resource: fresh(), fencing_token: 1 }] });
    const bulk = (body: string) => post({ path: '/api/force-release', body });
    expect(await bulk(json.padEnd(bulkLimit))).toBe('200');
    expect(await bulk(json.padEnd(bulkLimit + 1))).toBe('413 payload-too-large');
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON; charset="utf-8"',
    'application/json ;charset=utf-8',
  ])('is read as %s', async (type) => {
    expect(await post({ headers: { 'content-type': type }, body: JSON.stringify(good) })).toBe(
      '200',
    );
  });

  test.each([
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'text/json',
    'x',
  ])('is not read as %s', async (type) => {
    const resource = fresh();
    const body = JSON.stringify(good);
    expect(await post({ headers: { 'content-type': type }, body }, resource)).toBe(
      '415 unsupported-media-type',
    );
    expect(outcomeOf(await api.call('inspect', { resource }))).toBe('404 not-found');
  });

  test('without a content type is refused, so that no page can send one as a simple request', async () => {
    const resource = fresh();
    const body = JSON.stringify(good);
    expect(await post({ headers: {}, body }, resource)).toBe('415 unsupported-media-type');
    await api.grant(resource);
    const release = { method: 'DELETE', headers: { 'content-type': 'text/plain' } };
    const owner = JSON.stringify({ owner: 'owner' });
    expect(await post({ ...release, body: owner }, resource)).toBe('415 unsupported-media-type');
    expect(outcomeOf(await api.call('inspect', { resource }))).toBe('200');
  });

  test('a release without body and query says which field it wants', async () => {
    expect(refusedFields(await api.call('release', { resource: fresh() }))).toEqual(['owner']);
    expect(await releaseWithEmptyBody(api)).toBe(422);
  });
});

async function releaseWithEmptyBody(api: Api): Promise<number> {
  const path = `/api/locks/${fresh()}`;
  const headers = { 'content-type': 'application/json' };
  return (await api.raw({ method: 'DELETE', path, headers, body: '' })).status;
}

function* chunksOf(bytes: number): Generator<string> {
  for (let sent = 0; sent < bytes; sent += 65_536) yield ' '.repeat(65_536);
}
