import { expect, test } from 'vitest';

import { createMessageParser } from './event-messages';

const stream = [
  ': hello\nretry: 2000\nid: 1-1\n\n',
  'id: 1-2\nevent: acquired\ndata: {"resource":"a: b"}\n\n',
  'event: renewed\ndata: {}\n\n',
  ': still here\n\n',
].join('');

const expected = [
  { lastId: '1-1', event: 'message', data: '' },
  { lastId: '1-2', event: 'acquired', data: '{"resource":"a: b"}' },
  { lastId: '1-2', event: 'renewed', data: '{}' },
  { lastId: '1-2', event: 'message', data: '' },
];

test('messages come whole, wherever the text was cut', () => {
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const parse = createMessageParser('');
    expect([...parse(stream.slice(0, cut)), ...parse(stream.slice(cut))]).toEqual(expected);
  }
});

test('half a message is none yet', () => {
  expect(createMessageParser('7-7')('id: 7-8\nevent: acquired\ndata: {}\n')).toEqual([]);
});

test('the place from before counts until another is told', () => {
  expect(createMessageParser('7-7')(': hi\n\n')).toEqual([
    { lastId: '7-7', event: 'message', data: '' },
  ]);
});
