// Lets eight tills redeem one voucher at once, and counts what was paid. Exits with 0 if that is once.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import Database from 'better-sqlite3';

const tills = 8;
const keyFile = path.join(import.meta.dirname, '../../data/holdfast.first-key');
const firstKey = existsSync(keyFile) ? readFileSync(keyFile, 'utf8').trim() : '';
const environment = {
  ...process.env,
  HOLDFAST_URL: process.env.HOLDFAST_URL ?? 'http://127.0.0.1:3000',
  HOLDFAST_API_KEY: process.env.HOLDFAST_API_KEY ?? firstKey,
};
const mode = process.argv.includes('--without-lock') ? 'without-lock' : 'with-lock';

const folder = mkdtempSync(path.join(tmpdir(), 'voucher-'));
const file = path.join(folder, 'shop.db');
const code = `SPRING-${process.pid}`;
const database = new Database(file, { timeout: 5_000 });
database.exec(`
  CREATE TABLE vouchers (code TEXT PRIMARY KEY, used_by TEXT, fence INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE payments (code TEXT NOT NULL, till TEXT NOT NULL);
`);
database.prepare('INSERT INTO vouchers (code) VALUES (?)').run(code);

const codes = await Promise.all(
  Array.from({ length: tills }, (_, index) => open(`till ${index + 1}`)),
);
const paid = database.prepare('SELECT count(*) FROM payments').pluck().get();
database.close();
rmSync(folder, { recursive: true, force: true });
console.log(`${code} was paid for ${paid} times`);
process.exitCode = paid === 1 && codes.every((each) => each === 0) ? 0 : 1;

function open(till) {
  const redeem = path.join(import.meta.dirname, 'redeem.mjs');
  const child = spawn(process.execPath, [redeem, file, code, till, mode], {
    stdio: 'inherit',
    env: environment,
  });
  return new Promise((resolve) => child.once('exit', resolve));
}
