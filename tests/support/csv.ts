/** A table as RFC 4180 has it, each row by the names of its header. */
export function parseCsv(text: string): Record<string, string>[] {
  const rows = [...rowsOf(text)];
  const [header = [], ...rest] = rows;
  return rest.map((row) => {
    if (row.length !== header.length) throw new Error(`A row has ${row.length} cells`);
    return Object.fromEntries(header.map((name, index) => [name, row[index] ?? '']));
  });
}

function* rowsOf(text: string): Generator<string[]> {
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let row: string[] = [];
  while (cell.lastIndex < text.length) {
    const startsAt = cell.lastIndex;
    const found = cell.exec(text);
    if (found === null) throw new Error(`This is no cell: ${text.slice(startsAt, startsAt + 80)}`);
    row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] !== ',') {
      yield row;
      row = [];
    }
  }
  if (row.length > 0) throw new Error('The last line has no end');
}
