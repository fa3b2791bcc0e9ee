import { describe, expect, test } from 'vitest';

import { refusedFields } from '../../tests/contract/refused';
import { listSortFields } from '../locks/lock-store';
import { lockEventsQuery } from './events-query';
import { inspectQuery, listQuery, parseSort } from './list-query';

const notWholeNumbers = [
  '',
  ' 1',
  '1 ',
  '+1',
  '-1',
  '01',
  '1.0',
  '0.5',
  '1e2',
  '0x10',
  'NaN',
  'all',
];
const tooLarge = ['9007199254740992', '9007199254740993', '99999999999999999999'];

describe('the query of the list', () => {
  test('has defaults', () => {
    expect(listQuery.parse({})).toEqual({ state: 'active', sort: 'expires_at', limit: 100 });
  });

  test.each([
    ['state', ['', 'live', 'ACTIVE', 'active,expired']],
    ['condition', ['', 'ok', 'Silent', 'expired']],
    ['sort', ['', 'id', '--owner', '+owner', 'Owner', 'owner,-owner', 'acquiredAt']],
    ['limit', [...notWholeNumbers, ...tooLarge, '0', '501']],
    ['fencing_token', [...notWholeNumbers, ...tooLarge, '0']],
    ['asked_min', [...notWholeNumbers, ...tooLarge]],
    ['q', ['', 'a\u0000', '\ud800', 'x'.repeat(513)]],
    ['prefix', ['', 'a\nb', '\udc00', 'x'.repeat(513)]],
    ['owner', ['', 'a\u007f']],
    ['owner_prefix', ['', 'a\u0085']],
    ['client', ['', '\u001b']],
    ['cursor', ['', 'x'.repeat(4_097)]],
  ])('is refused for a bad %s, by its name', (field, values) => {
    for (const value of values) {
      expect(refusedFields(listQuery, { [field]: value }), value).toEqual([field]);
    }
  });

  test.each(['offset', 'page', 'Limit', 'sort_by', 'fencingtoken', 'constructor'])(
    'is refused for the unknown parameter %s, by its name',
    (field) => {
      expect(refusedFields(listQuery, { [field]: '1' })).toEqual([field]);
    },
  );

  test('is refused for every bad field at once', () => {
    const query = { state: 'x', limit: '0', sort: 'x', page: '2' };
    expect(refusedFields(listQuery, query)).toEqual(['state', 'sort', 'limit', 'page']);
  });

  test('takes wildcards and punctuation as plain text, and normalises', () => {
    const texts = { q: '%_*', prefix: 'a/b?c#d', owner: 'cafe\u0301', client: '[x]' };
    expect(listQuery.parse(texts)).toMatchObject({ ...texts, owner: 'café' });
  });

  test('takes a search for a part of a name, which may begin or end with a space', () => {
    expect(listQuery.parse({ q: ' b', prefix: 'a ' })).toMatchObject({ q: ' b', prefix: 'a ' });
  });

  test('takes numbers as numbers, zero included where zero is one', () => {
    const query = { limit: '500', fencing_token: '9007199254740991', asked_min: '0' };
    expect(listQuery.parse(query)).toMatchObject({
      limit: 500,
      fencing_token: Number.MAX_SAFE_INTEGER,
      asked_min: 0,
    });
  });
});

describe('a sort', () => {
  test.each(listSortFields)('by %s goes in both directions', (field) => {
    const up = listQuery.parse({ sort: field });
    const down = listQuery.parse({ sort: `-${field}` });
    expect(parseSort(up.sort)).toEqual({ field, isDescending: false });
    expect(parseSort(down.sort)).toEqual({ field, isDescending: true });
  });
});

describe('the query of a history', () => {
  test('has the limits of the list', () => {
    expect(lockEventsQuery.parse({})).toEqual({ limit: 100 });
    for (const limit of ['0', '501', '-5', 'x', '1.5']) {
      expect(refusedFields(lockEventsQuery, { limit })).toEqual(['limit']);
    }
    expect(refusedFields(lockEventsQuery, { resource: 'job' })).toEqual(['resource']);
  });
});

describe('the query of an inspection', () => {
  test('may ask for an expired lock, and for nothing else', () => {
    expect(inspectQuery.parse({ include: 'expired' })).toEqual({ include: 'expired' });
    expect(refusedFields(inspectQuery, { include: 'all' })).toEqual(['include']);
    expect(refusedFields(inspectQuery, { expired: 'true' })).toEqual(['expired']);
  });
});
