import { existsSync } from 'node:fs';

import { z } from 'zod';

import { createGroupCommit, defaultGroupCommit } from '../group-commit';
import { tokenMax, type TokenCounter } from '../token-counter';
import { LocalSqliteConnection } from './connection';
import type { Rows } from './lock-file';

const counterRow = z.tuple([z.tuple([z.int()])]);
const counterOf = (rows: Rows | undefined) => counterRow.parse(rows)[0][0];

const read = { sql: 'SELECT value FROM fencing_counter WHERE id = 1', values: [] };

/** Takes the file's only writer before anything is read, so that no grant comes between. Changes nothing. */
const take = { sql: 'UPDATE fencing_counter SET value = value WHERE id = 1', values: [] };

/** Either returns no row if the counter would pass the largest token. The second checks a difference, which is exact. */
const raiseTo = `UPDATE fencing_counter SET value = max(value, CAST(? AS INTEGER))
  WHERE id = 1 AND CAST(? AS INTEGER) <= ${tokenMax} RETURNING value`;
const raiseBy = `UPDATE fencing_counter SET value = value + CAST(? AS INTEGER)
  WHERE id = 1 AND CAST(? AS INTEGER) <= ${tokenMax} - value RETURNING value`;

/**
 * @param url `file:` and a path.
 * @throws if there is no such file: opening it would make an empty one.
 */
export function openSqliteCounter(url: string): TokenCounter {
  const file = url.slice('file:'.length);
  if (!existsSync(file)) throw new Error(`there is no file ${file}`);
  const connection = new LocalSqliteConnection(url);
  const commits = createGroupCommit(defaultGroupCommit);
  return {
    read: () =>
      commits.runWithPatience(async () => {
        const [rows] = await connection.transaction([read]);
        return counterOf(rows);
      }),
    raise: (raise) =>
      commits.runWithPatience(async () => {
        const statement =
          'to' in raise
            ? { sql: raiseTo, values: [raise.to, raise.to] }
            : { sql: raiseBy, values: [raise.by, raise.by] };
        const [, before, after] = await connection.transaction([take, read, statement]);
        if (after?.length === 0) return null;
        return { before: counterOf(before), after: counterOf(after) };
      }),
    async close() {
      await commits.close();
      await connection.close();
    },
  };
}
