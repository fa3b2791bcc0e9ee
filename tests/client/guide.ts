import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '../..');

export interface Block {
  readonly language: string;
  readonly text: string;
}

/** The blocks of code of a document, in its order. */
export function blocksOf(file: string): Block[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
    language,
    text: code,
  }));
}

/** What the guide leaves to its reader, for one block: what stands before it, and what must be true after. */
export interface Story {
  /** What the block begins with. */
  readonly begins: string;
  readonly before: string;
  readonly after: string;
}

const client = `
import { createClient, LockLostError, assertFenced, type Lease } from '@holdfast/client';
const holdfast = createClient({ url: process.env['HOLDFAST_URL'] ?? '', apiKey: process.env['HOLDFAST_API_KEY'] });
`;
const report = `
const written: number[] = [];
async function writeReport({ signal, fence }: { signal: AbortSignal; fence: number }) {
  if (!signal.aborted) written.push(fence);
}
`;
const wroteReport = 'claim(written.length === 1);';

export const guideStories: readonly Story[] = [
  { begins: "import { createClient } from '@holdfast/client'", before: report, after: wroteReport },
  {
    begins: 'await using lease',
    before: `${client}
      const signals: AbortSignal[] = [];
      async function work(signal: AbortSignal) { signals.push(signal); }`,
    after: `claim(signals.length === 1);
      claim(await holdfast.inspect('job:42') === undefined);`,
  },
  {
    begins: 'const { rowCount } = await db.query(sql',
    before: `${client}
      const [sql, body, id] = ['the SQL above', 'text', 'may'];
      const lease = await holdfast.acquire('report');
      let rows = 1;
      const db = { async query(_: string, values: readonly unknown[]): Promise<{ rowCount: number | null }> {
        claim(values[1] === lease.fencingToken);
        return { rowCount: rows };
      } };`,
    after: `rows = 0;
      claim(await block().catch((error: unknown) => error) instanceof LockLostError);
      await lease.release();`,
  },
  {
    begins: 'const lease = await holdfast.tryAcquire(`message:',
    before: `${client}
      const message = { id: 7 };
      let [handled, acknowledged] = [0, 0];
      async function handle(_: object, signal: AbortSignal) { if (!signal.aborted) handled += 1; }
      async function acknowledge(_: object) { acknowledged += 1; }`,
    after: `claim(handled === 1 && acknowledged === 1);
      await holdfast.using('message:7', {}, () => block());
      claim(handled === 1 && await holdfast.inspect('message:7') === undefined);`,
  },
  {
    begins: 'for (;;) {',
    before: `${client}
      let terms = 0;
      function report(reason: unknown) { claim((reason as { reason?: string }).reason === 'a deploy'); }
      async function askRelease() {
        const lock = await holdfast.inspect('leader');
        await fetch(process.env['HOLDFAST_URL'] + '/api/locks/leader/ask-release', {
          method: 'POST',
          headers: {
            authorization: 'Bearer ' + process.env['HOLDFAST_API_KEY'],
            'content-type': 'application/json',
          },
          body: JSON.stringify({ fencing_token: lock?.fencing_token, reason: 'a deploy' }),
        });
      }
      async function lead(signal: AbortSignal) {
        terms += 1;
        if (terms === 2) process.exit(0);
        await askRelease();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        claim(await holdfast.inspect('leader') !== undefined); // The work ends before the lease.
        throw signal.reason;
      }`,
    after: 'claim(false);',
  },
  {
    begins: 'const first = Math.floor(',
    before: `${client}
      const slots = 2;`,
    after: `const [one, two, three] = [await block(), await block(), await block()] as (Lease | undefined)[];
      claim(one === undefined && two === undefined || three === undefined);
      const held = await holdfast.list({ prefix: 'render:' });
      claim(held.locks.length === 2);
      process.exit(0);`,
  },
];

export const readmeStories: readonly Story[] = [
  { begins: "import { createClient } from '@holdfast/client'", before: report, after: wroteReport },
];

/** A program that is nothing but the block, with its story around it. */
export function programOf(block: string, { before, after }: Story): string {
  const lines = block.split('\n');
  const imports = lines.filter((line) => line.startsWith('import '));
  const body = lines.filter((line) => !line.startsWith('import '));
  return `${imports.join('\n')}
declare const process: { env: Record<string, string>; exit(code: number): never };
${before}
async function block(): Promise<unknown> {
${body.join('\n')}
return undefined;
}
await block();
${after}
function claim(isTrue: boolean): void {
  if (!isTrue) throw new Error('not as the guide says');
}
export {};
`;
}
