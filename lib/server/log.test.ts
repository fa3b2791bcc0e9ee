import { describe, expect, test } from 'vitest';

import { createLog } from './log';

const secret = 'a secret of the service: 12345678901234567890';

/** What is written of a piece of logging, line by line. */
function written(work: (log: ReturnType<typeof createLog>) => void, level = 'debug'): string[] {
  let text = '';
  const destination = { write: (chunk: string) => void (text += chunk) };
  work(createLog({ level, isPretty: false, secrets: [secret], destination }));
  return text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).filter((line) => line !== '');
}

describe('the log', () => {
  test.each([
    'a\n{"level":60,"msg":"forged"}',
    'a\r\nb',
    'a\u2028b',
    'a\u2029b',
    'a\u0085b',
    '"} {"level":60',
    '\u001b[2Jcleared',
    '\u202egnp.exe',
  ])('writes one line of JSON whatever a name holds: %j', (name) => {
    const lines = written((log) => {
      log.warn({ target: name, [name]: name, inner: { deep: [name] } }, name);
      log.error({ err: new Error(name, { cause: new Error(name) }) }, 'failed');
    });
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(() => JSON.parse(line) as unknown).not.toThrow();
      expect(line).not.toMatch(/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/);
    }
  });

  const password = 'hunter2hunter2';
  test.each<[string, (log: ReturnType<typeof createLog>) => void]>([
    ['in a message', (log) => log.error(`refused ${secret}`)],
    ['in a field', (log) => log.error({ authorization: `Bearer ${password}` }, 'x')],
    ['in headers', (log) => log.error({ request: { headers: { cookie: password } } }, 'x')],
    ['in a field called password', (log) => log.error({ body: { password } }, 'x')],
    [
      'in the address of an error',
      (log) => log.error({ err: new Error(`no postgresql://app:${password}@db/x`) }, 'x'),
    ],
    [
      'on an error',
      (log) => log.error({ err: Object.assign(new Error('x'), { config: { password } }) }, 'x'),
    ],
    [
      'in a cause',
      (log) => log.error({ err: new Error('x', { cause: new Error(`key ${secret}`) }) }, 'x'),
    ],
    [
      'among several causes',
      (log) => log.error({ err: new AggregateError([new Error(`k ${secret}`)], 'x') }, 'x'),
    ],
    ['in an error by itself', (log) => log.error(new Error(`Bearer ${password}`))],
    ['in the name of a field', (log) => log.error({ [secret]: 1 }, 'x')],
  ])('never has a secret %s', (_, work) => {
    const [line = ''] = written(work);
    expect(line).toContain('"level":50');
    expect(line).not.toContain(password);
    expect(line).not.toContain(secret);
  });

  test('never has a key or a link', () => {
    const key = `hf_${'a'.repeat(12)}_${'B'.repeat(43)}`;
    const link = `hfl_${'C'.repeat(43)}`;
    const [line = ''] = written((log) => log.info({ target: `/x?k=${key}` }, `go to ${link}`));
    expect(line).not.toContain('aaaa');
    expect(line).not.toContain('CCCC');
  });

  test('keeps the words, the code and the stack of an error, and of its cause', () => {
    const cause = Object.assign(new Error('no disk'), { code: 'SQLITE_FULL' });
    const [line = ''] = written((log) =>
      log.error({ err: new Error('no answer', { cause }), requestId: 'r-1' }, 'failed'),
    );
    expect(JSON.parse(line)).toMatchObject({
      level: 50,
      requestId: 'r-1',
      msg: 'failed',
      err: {
        message: 'no answer',
        stack: expect.stringContaining('log.test') as unknown,
        cause: { message: 'no disk', code: 'SQLITE_FULL' },
      },
    });
  });
});
