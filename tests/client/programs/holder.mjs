// A process that holds a lock, tells what happens to it on its output, and may add to a set in a SQLite file: it reads the
// set, waits for a line on its input, and writes the set back. Usage: holder.mjs '{"url", "apiKey", "resource", …}'.
import { createInterface } from 'node:readline';

import Database from 'better-sqlite3';

import { createClient } from '../../../client/dist/node.js';

const { url, apiKey, resource, ttlMs, blockMs, file, member, isFenced } = JSON.parse(
  process.argv[2],
);
const tell = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
process.on('unhandledRejection', (error) => tell({ event: 'unhandled', error: String(error) }));

const lease = await createClient({ url, apiKey }).acquire(resource, { ttlMs, waitMs: 20_000 });
lease.signal.addEventListener('abort', () => {
  const { how, by, reason } = lease.lost;
  tell({ event: 'lost', how, by, reason });
});
const database = file === undefined ? undefined : new Database(file);
const set = database?.prepare('SELECT members FROM guarded').pluck().get();
tell({ event: 'held', token: lease.fencingToken, owner: lease.owner });

if (blockMs !== undefined) {
  const endMs = performance.now() + blockMs;
  while (performance.now() < endMs);
  tell({ event: 'unblocked', isHeld: lease.isHeld });
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'ask') tell({ event: 'asked', isHeld: lease.isHeld });
  if (line === 'write') tell({ event: 'written', rows: write() });
  if (line === 'release') break;
}
tell({ event: 'released', released: await lease.release() });
// Without anything that keeps it alive, the process ends here by itself.
process.stdin.destroy();

/** What a process does that does not look at its lease before it writes. */
function write() {
  const members = JSON.stringify([...JSON.parse(set), member]);
  const statement = isFenced
    ? 'UPDATE guarded SET members = :members, fence = :token WHERE fence <= :token'
    : 'UPDATE guarded SET members = :members';
  const values = isFenced ? { members, token: lease.fencingToken } : { members };
  return database.prepare(statement).run(values).changes;
}
