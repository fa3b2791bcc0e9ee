import { byteOrderMark, csvLine, type CsvValue } from './csv';
import type { Answer } from './route';

/** What a table is made from: a page at a time, each after the one before was read. */
interface Export<Row, Place> {
  /** Letters, digits and hyphens alone: the name of the file. */
  readonly name: string;
  /** The columns, which are the names of the fields. */
  readonly fields: readonly (keyof Row & string)[];
  readonly readPage: (after: Place | null) => Promise<ExportPage<Row, Place>>;
}

export interface ExportPage<Row, Place> {
  readonly rows: readonly Row[];
  readonly next: Place | null;
}

/** The first page is read before the answer begins, so that a store which does not answer is still a 503. */
export async function exportAnswer<Row extends Record<keyof Row, CsvValue>, Place>(
  table: Export<Row, Place>,
  method: string,
): Promise<Answer> {
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${table.name}.csv"`,
  };
  if (method === 'HEAD') return { status: 200, headers };
  return { status: 200, headers, stream: linesOf(table, await table.readPage(null)) };
}

async function* linesOf<Row extends Record<keyof Row, CsvValue>, Place>(
  { fields, readPage }: Export<Row, Place>,
  first: ExportPage<Row, Place>,
): AsyncGenerator<string> {
  yield byteOrderMark + csvLine(fields);
  for (let page = first; ;) {
    const lines = page.rows.map((row) => csvLine(fields.map((field) => row[field])));
    if (lines.length > 0) yield lines.join('');
    if (page.next === null) return;
    page = await readPage(page.next);
  }
}
