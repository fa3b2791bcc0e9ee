import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { parseCsv } from '../../tests/support/csv';
import { csvLine } from './csv';

const formula = /^[=+\-@\t\r\n＝＋－＠]/;

describe('a line of a table', () => {
  test('leaves numbers as they are, and nulls empty', () => {
    expect(csvLine([-5, 0, null, true, 'a'])).toBe('-5,0,,true,a\r\n');
  });

  test.each([
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\r\nb', '"a\r\nb"'],
    ['=a,b', `"'=a,b"`],
    ['\ta', `"'\ta"`],
    ['\ra', `"'\ra"`],
    ['a=b', 'a=b'],
    ["'a", "'a"],
    ["'=a", "''=a"],
  ])('writes %j as %j', (text, cell) => {
    expect(csvLine([text])).toBe(`${cell}\r\n`);
  });

  test('of any texts is read back as they were, and none of its cells is a formula', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(...Array.from(`=+-@\t\r\n,;"'＝＋－＠ a`)),
      maxLength: 8,
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(hostile, fc.string()), { minLength: 1 }), (texts) => {
        const header = csvLine(texts.map((_, index) => `c${index}`));
        const [row = {}] = parseCsv(header + csvLine(texts));
        const cells = Object.values(row);
        expect(cells.filter((cell) => formula.test(cell))).toEqual([]);
        const back = cells.map((cell) =>
          /^'+[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell,
        );
        expect(back).toEqual(texts);
      }),
    );
  });
});
