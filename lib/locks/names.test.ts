import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { limits } from './limits';
import { checkName, checkResource, isPlainText } from './names';

const bytesMax = limits.resourceBytesMax;

function problemOf(text: string): string | null {
  const checked = checkResource(text, bytesMax);
  return checked.ok ? null : checked.problem;
}

function nameOf(text: string): string | null {
  const checked = checkResource(text, bytesMax);
  return checked.ok ? checked.name : null;
}

describe('a name', () => {
  test.each([
    'job:42',
    'report:monthly-2026-05',
    'terraform/prod/network',
    'a//b',
    '/',
    '%',
    '%2F',
    '#',
    '?',
    'q?x=1&y=2',
    'a b',
    '...',
    '.a',
    'a/../b',
    "it's",
    '<img src=x onerror=alert(1)>',
    '日本語',
    '💾',
    'עברית',
    'a\u202Eb',
    'a\u200Bb',
    '__proto__',
  ])('%j is taken as it is', (text) => {
    expect(nameOf(text)).toBe(text);
  });

  test('keeps upper and lower case', () => {
    expect(nameOf('Job')).not.toBe(nameOf('job'));
  });

  test('must not be empty', () => {
    expect(problemOf('')).toContain('empty');
  });

  test.each(['.', '..'])('must not be %j, which URL parsers erase', (text) => {
    expect(problemOf(text)).toContain('URL');
    expect(checkName(text, limits.ownerBytesMax)).toEqual({ ok: true, name: text });
  });

  test('must not contain any control character', () => {
    const controls = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i)];
    expect(controls).toHaveLength(0x20 + 0x21);
    for (const code of controls) {
      expect(problemOf(`a${String.fromCharCode(code)}b`), String(code)).toContain('control');
    }
  });

  test.each(['\ud800', '\udc00', 'a\ud83d', '\ude00b', '\udc00\ud800'])(
    'must not contain the lone surrogate in %j',
    (text) => {
      expect(problemOf(text)).toContain('surrogate');
    },
  );

  test.each([' ', '\u00a0', '\u1680', '\u2003', '\u2028', '\u202f', '\u3000', '\ufeff'])(
    'must not begin or end with the white space %j, and may have it inside',
    (space) => {
      expect(problemOf(`${space}a`)).toContain('white space');
      expect(problemOf(`a${space}`)).toContain('white space');
      expect(problemOf(space)).toContain('white space');
      expect(nameOf(`a${space}b`)).not.toBeNull();
    },
  );
});

describe('the limit of a name', () => {
  test.each([
    ['one-byte', 'x', 1],
    ['two-byte', 'é', 2],
    ['three-byte', '語', 3],
    ['four-byte', '💾', 4],
  ])('is counted in bytes: %s characters', (_, character, bytes) => {
    const count = Math.floor(bytesMax / bytes);
    const padding = 'x'.repeat(bytesMax - count * bytes);
    const longest = character.repeat(count) + padding;
    expect(nameOf(longest)).toBe(longest);
    expect(problemOf(`${longest}x`)).toContain(`at most ${bytesMax} bytes`);
    expect(problemOf(`${longest}x`)).toContain(String(bytesMax + 1));
  });

  test('is counted after normalisation, whether that makes the name shorter or longer', () => {
    expect(nameOf('e\u0301'.repeat(256))).toBe('é'.repeat(256));
    expect(problemOf('e\u0301'.repeat(257))).not.toBeNull();
    // U+0958 is 3 bytes, and NFC writes it as two characters of 3 bytes each.
    expect(nameOf('\u0958'.repeat(85))).toHaveLength(170);
    expect(problemOf('\u0958'.repeat(86))).toContain('is 516');
  });

  test('refuses a name of any length without cutting it', () => {
    expect(problemOf('x'.repeat(10_000))).toContain('10000');
  });

  test('of an owner is its own', () => {
    expect(checkName('x'.repeat(255), limits.ownerBytesMax).ok).toBe(true);
    expect(checkName('x'.repeat(256), limits.ownerBytesMax).ok).toBe(false);
  });
});

describe('normalisation', () => {
  test('makes one lock of two spellings of one text', () => {
    expect(nameOf('cafe\u0301')).toBe('café');
    expect(nameOf('\u212b')).toBe('Å');
  });

  test('does not merge what merely looks alike', () => {
    expect(nameOf('\ufb01')).toBe('\ufb01');
    expect(nameOf('ａ')).toBe('ａ');
  });
});

describe('any text', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
      .map((units) => String.fromCharCode(...units)),
  );

  test('that is taken is in NFC, within the limit, plain, and taken again as itself', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const name = nameOf(text);
        if (name === null) return;
        expect(name).toBe(text.normalize('NFC'));
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(bytesMax);
        expect(Buffer.from(name).toString()).toBe(name);
        expect(isPlainText(name)).toBe(true);
        expect(name.trim()).toBe(name);
        expect(nameOf(name)).toBe(name);
      }),
      { numRuns: 2_000 },
    );
  });

  test('that is refused breaks one of the rules', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        if (nameOf(text) !== null) return;
        const isBroken =
          text === '' ||
          text === '.' ||
          text === '..' ||
          !isPlainText(text) ||
          text.trim() !== text ||
          Buffer.byteLength(text.normalize('NFC')) > bytesMax;
        expect(isBroken).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('means the same name as its canonical decomposition', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const name = nameOf(text);
        if (name !== null) expect(nameOf(text.normalize('NFD'))).toBe(name);
      }),
    );
  });

  test('that differs in its normalised bytes is another name', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        const [a, b] = [nameOf(one), nameOf(other)];
        if (a === null || b === null) return;
        expect(a === b).toBe(Buffer.from(a).equals(Buffer.from(b)));
      }),
    );
  });
});
