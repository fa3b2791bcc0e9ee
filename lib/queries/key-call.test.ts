import { execFileSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { sampleCall } from './key-call';

const origin = 'http://127.0.0.1:3000';

/** What a shell would run, with curl replaced by what prints its arguments. */
function shellArguments(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

test.each([
  ['report:*', 'report:hello'],
  ['*', 'hello'],
  ['it’s/$(touch x)\'; rm -rf "~" `id` !!', 'it’s/$(touch x)\'; rm -rf "~" `id` !!'],
])(
  'the sample call of a key for %s is one acquire, whatever the name holds',
  (pattern, resource) => {
    const command = sampleCall({ scopes: ['acquire'], patterns: [pattern] }, 'hf_x', origin);
    const [method, verb, url = '', , bearer] = shellArguments(command);
    expect([method, verb, bearer]).toEqual(['-X', 'POST', 'Authorization: Bearer hf_x']);
    expect(decodeURIComponent(url)).toBe(`${origin}/api/locks/${resource}`);
  },
);

test('a key that may not acquire is tried with the list', () => {
  const command = sampleCall({ scopes: ['read'], patterns: ['*'] }, 'hf_x', origin);
  expect(shellArguments(command)[0]).toBe(`${origin}/api/locks`);
});
