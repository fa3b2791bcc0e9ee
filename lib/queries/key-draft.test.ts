import { describe, expect, test } from 'vitest';

import {
  clientProblem,
  nameProblem,
  parsePatterns,
  searchableText,
  toggleScope,
} from './key-draft';

describe('the draft of a key', () => {
  test.each([
    ['nightly billing', null],
    ['  ', 'empty'],
    ['ann@example.com', 'at'],
    ['x'.repeat(101), 'tooLong'],
    ['a\u0007b', 'characters'],
    ['a\u202eb', 'characters'],
    ['ann＠example.com', 'at'],
    [' Env ', 'reserved'],
    ['env of billing', null],
  ])('a name %j is judged as the API does', (text, problem) => {
    expect(nameProblem(text)).toBe(problem);
  });

  test.each([
    ['billing', null],
    ['', 'empty'],
    ['env', 'env'],
    [' billing', 'space'],
    ['é'.repeat(128), 'tooLong'],
    ['a\u0000', 'characters'],
  ])('a client %j is judged as the API does', (text, problem) => {
    expect(clientProblem(text)).toBe(problem);
  });

  test('each wrong pattern is named by its line, and lines without text are passed over', () => {
    const text = `job:*\n\n*a\n..\n ok\n${'x'.repeat(513)}\njob:*\r\nj\u0001`;
    const { patterns, wrong } = parsePatterns(text);
    expect(wrong).toEqual([
      { line: 3, problem: 'star' },
      { line: 4, problem: 'dots' },
      { line: 5, problem: 'space' },
      { line: 6, problem: 'tooLong' },
      { line: 8, problem: 'characters' },
    ]);
    expect(patterns.filter((pattern) => pattern === 'job:*')).toHaveLength(1);
    expect(parsePatterns('\n \n').isEmpty).toBe(true);
    const many = Array.from({ length: 51 }, (_, index) => `job:${index}`).join('\n');
    expect(parsePatterns(many).isTooMany).toBe(true);
  });

  test('scopes are in the order of the contract, each once', () => {
    expect(toggleScope(toggleScope(['operate'], 'acquire'), 'read')).toEqual([
      'acquire',
      'read',
      'operate',
    ]);
    expect(toggleScope(['acquire', 'read'], 'acquire')).toEqual(['read']);
  });

  test('of a secret that is searched for only its public beginning is kept', () => {
    expect(searchableText(' hf_0123456789ab_AbC-_x9')).toBe('hf_0123456789ab');
    expect(searchableText('hf_0123')).toBe('hf_0123');
    expect(searchableText('billing')).toBe('billing');
  });
});
