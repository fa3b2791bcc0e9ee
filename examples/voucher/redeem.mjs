// One till. Reads the voucher, thinks for a moment, and writes: without a lock all tills read it unused.
import { setTimeout as delay } from 'node:timers/promises';

import Database from 'better-sqlite3';

import { assertFenced, createClient, NotAcquiredError } from '../../client/dist/node.js';

const [file, code, till, mode] = process.argv.slice(2);
const database = new Database(file, { timeout: 5_000 });
const holdfast = createClient({
  url: process.env.HOLDFAST_URL,
  apiKey: process.env.HOLDFAST_API_KEY,
});

try {
  if (mode === 'without-lock') await redeem(undefined);
  else await holdfast.using(`voucher:${code}`, { ttlMs: 10_000, waitMs: 30_000 }, redeem);
} catch (error) {
  if (!(error instanceof NotAcquiredError)) throw error;
  console.log(`${till}: too busy, try again`);
}

async function redeem(lease) {
  const { used_by: usedBy } = database
    .prepare('SELECT used_by FROM vouchers WHERE code = ?')
    .get(code);
  if (usedBy !== null) {
    console.log(`${till}: refused, used by ${usedBy}`);
    return;
  }
  await delay(50);
  const { changes } = database
    .prepare('UPDATE vouchers SET used_by = ?, fence = ? WHERE code = ? AND fence <= ?')
    .run(till, lease?.fencingToken ?? 0, code, lease?.fencingToken ?? 0);
  if (lease !== undefined) assertFenced(lease, changes);
  database.prepare('INSERT INTO payments (code, till) VALUES (?, ?)').run(code, till);
  console.log(`${till}: redeemed`);
}
