/** Tables for spreadsheets: RFC 4180, and no cell that a spreadsheet would take for a formula. */

/** Without it a spreadsheet takes the file for one in the code page of its machine. */
export const byteOrderMark = '\uFEFF';

/** What a cell can carry: numbers are numbers, null is empty, and an object is JSON. */
export type CsvValue = string | number | boolean | object | null;

/** One line, with its end. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: CsvValue): string {
  if (value === null) return '';
  // A number of ours is no formula, whatever its sign.
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return quoted(neutralised(typeof value === 'string' ? value : JSON.stringify(value)));
}

/** Apostrophes are counted in, so that taking one away gives back exactly what was there. */
const formulaStart = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** By an apostrophe, which spreadsheets take for "this is text". */
function neutralised(text: string): string {
  return formulaStart.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
