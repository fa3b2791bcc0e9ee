// Who the demo is: the key of the environment, or the one that the first start left beside the database.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const firstKeyFile = path.join(import.meta.dirname, '..', 'data', 'holdfast.first-key');

export const keyHeaders = { Authorization: `Bearer ${readKey()}` };

function readKey() {
  const given = process.env.HOLDFAST_API_KEY;
  if (given) return given;
  try {
    return readFileSync(firstKeyFile, 'utf8').trim();
  } catch {
    console.error(
      `There is no key: set HOLDFAST_API_KEY to one with the scopes acquire and read. (${firstKeyFile}, which the first start of a new database writes, is not there.)`,
    );
    process.exit(1);
  }
}
