import { spawn } from 'node:child_process';
import path from 'node:path';

import { testKey } from '../support/callers';
import type { Exit } from '../support/server';
import { deadline, poll } from '../support/waiting';

const root = path.join(import.meta.dirname, '../..');
const withinMs = 30_000;

export interface Program {
  readonly pid: number;
  readonly ended: Promise<Exit>;
  output(): string;
  errors(): string;
  write(line: string): void;
  signal(name: NodeJS.Signals): void;
}

export function startProgram(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Program {
  const child = spawn(process.execPath, [path.join(root, file), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, HOLDFAST_URL: '', HOLDFAST_API_KEY: '', ...environment },
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  child.stdin.on('error', () => undefined);
  const endWithThis = () => child.kill('SIGKILL');
  process.once('exit', endWithThis);
  const ended = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => {
      process.off('exit', endWithThis);
      resolve({ code, signal });
    });
  });
  return {
    pid: child.pid ?? -1,
    ended: deadline(ended, 60_000, () => `${file} did not end: ${output}${errors}`),
    output: () => output,
    errors: () => errors,
    write: (line) => child.stdin.write(`${line}\n`),
    signal: (name) => child.kill(name),
  };
}

export interface Told {
  readonly event: string;
  readonly [key: string]: unknown;
}

/** A process that holds a lock: see programs/holder.mjs. */
export function startHolder(options: { readonly url: string; readonly [key: string]: unknown }) {
  const program = startProgram('tests/client/programs/holder.mjs', [
    JSON.stringify({ apiKey: testKey, ...options }),
  ]);
  const told = (): Told[] =>
    program
      .output()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Told);
  return {
    ...program,
    told,
    /** What it tells of an event, once it does. */
    until: (event: string) =>
      poll(() => told().find((each) => each.event === event) ?? null, {
        withinMs,
        describe: () => `no ${event} from ${program.output()} ${program.errors()}`,
      }),
  };
}

/** The command line, as a shell would run it. */
export function holdfast(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Program {
  return startProgram('client/dist/cli.js', args, environment);
}

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export async function ended(program: Program): Promise<Ended> {
  const { code } = await program.ended;
  return { code, output: program.output(), errors: program.errors() };
}
