/** What is printed. Names come from anybody, so nothing of theirs may move the cursor, change a colour or turn the text. */

// C0 and C1 controls, marks and embeddings of direction, separators of lines, and what has no width.
const hidden =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

export function shown(text: string): string {
  return text.replace(hidden, (character) => escapeOf(character));
}

/** JSON in which such characters are escapes as well: it reads back as the same text. */
export function json(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(hidden, (character) =>
    character === '\n' ? character : escapeOf(character),
  );
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Rows under a head, each column as wide as its widest cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(shown));
  const widths = head.map((_, column) =>
    Math.max(...cells.map((row) => widthOf(row[column] ?? ''))),
  );
  const lines = cells.map((row) =>
    row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell))).join('  '),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function widthOf(text: string): number {
  return Array.from(text).reduce((width, character) => width + (wide.test(character) ? 2 : 1), 0);
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** `1m 30s`, with the two largest units. */
export function duration(ms: number): string {
  let left = Math.max(0, Math.floor(ms / 1_000)) * 1_000;
  const parts: string[] = [];
  for (const [unit, unitMs] of units) {
    const count = Math.floor(left / unitMs);
    left -= count * unitMs;
    if (count > 0) parts.push(`${count}${unit}`);
  }
  return parts.slice(0, 2).join(' ') || '0s';
}
