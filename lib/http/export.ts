import { callerId } from '@/lib/access/callers';
import type { EndpointName } from '@/lib/contract/endpoints';

import { confirmCaller } from './confirm-caller';
import { byteOrderMark, csvLine, type CsvValue } from './csv';
import { Problem } from './problem';
import type { Answer } from './respond';
import type { HandlerContext } from './route';

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

/** Rows of one page of an export: few, since a page keeps the process from its lock calls while it is made. */
export const exportPageRows = 200;

/**
 * A table for the caller of an endpoint. Exports have few places, and each page is made only for one who may still have it.
 * The first page is read before the answer begins, so that a store which does not answer is still a 503.
 */
export async function exportAnswer<Row extends Record<keyof Row, CsvValue>, Place>(
  endpoint: EndpointName,
  table: Export<Row, Place>,
  context: HandlerContext,
): Promise<Answer> {
  const { services, request, caller } = context;
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${table.name}.csv"`,
  };
  if (request.method === 'HEAD') return { status: 200, headers };
  const leave = services.exports.take(callerId(caller));
  if (typeof leave === 'string') throw noPlace(leave);
  try {
    const readPage = async (after: Place | null) => {
      if (after !== null) await assertStillAllowed(endpoint, context);
      return services.bulkReads.run(() => table.readPage(after));
    };
    const lines = linesOf({ ...table, readPage }, await readPage(null));
    return { status: 200, headers, stream: lines, onStreamEnd: leave };
  } catch (error) {
    leave();
    throw error;
  }
}

function noPlace(why: 'full' | 'caller-full'): Problem {
  const code = why === 'full' ? 'unavailable' : 'too-many-requests';
  const whose = why === 'full' ? 'This instance makes' : 'This caller has';
  return new Problem(code, `${whose} as many exports as it may at once. Come back in a moment.`, {
    headers: { 'Retry-After': '2' },
  });
}

async function assertStillAllowed(endpoint: EndpointName, context: HandlerContext): Promise<void> {
  const now = await confirmCaller(endpoint, context);
  if (now !== null && callerId(now) === callerId(context.caller)) return;
  throw new Problem('forbidden', 'This caller may not read on.');
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
