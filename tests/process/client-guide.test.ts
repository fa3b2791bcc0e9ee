import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { transform } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { blocksOf, guideStories, programOf, readmeStories, type Story } from '../client/guide';
import { installPacked } from '../client/packed';
import { createApi, type Api } from '../support/api';
import { fresh } from '../support/both-doors';
import { testKey } from '../support/callers';
import { startServer, temporaryFolder, type TestServer } from '../support/server';

const root = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);
const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
// Whoever follows the guide has these, or something like them.
const scripts = ['report.sh', 'nightly.sh'];

let server: TestServer;
let api: Api;
let project: string;
let env: NodeJS.ProcessEnv;
let shellEnv: NodeJS.ProcessEnv;

beforeAll(async () => {
  server = await startServer();
  api = createApi(server);
  project = await installPacked();
});
beforeEach(() => {
  env = { ...process.env, HOLDFAST_URL: server.url, HOLDFAST_API_KEY: testKey };
  const bin = path.join(project, 'node_modules/.bin');
  shellEnv = {
    ...env,
    XDG_CONFIG_HOME: temporaryFolder(),
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
  };
  for (const name of scripts) script(name, 'echo "ran under $HOLDFAST_RESOURCE"');
  writeFileSync(
    path.join(project, 'package.json'),
    JSON.stringify({ type: 'module', scripts: { migrate: './report.sh' } }),
  );
});
afterAll(() => server.stop());

function script(name: string, text: string): void {
  writeFileSync(path.join(project, name), `#!/bin/sh\n${text}\n`);
  chmodSync(path.join(project, name), 0o755);
}

const documents: readonly [string, readonly Story[]][] = [
  ['docs/client.md', guideStories],
  ['client/README.md', readmeStories],
];

describe.each(documents)('the TypeScript of %s', (file, stories) => {
  const blocks = blocksOf(file).filter(({ language }) => language === 'ts');

  test('has a story for each of its blocks', () => {
    expect(blocks.map(({ text }) => stories.some(({ begins }) => text.startsWith(begins)))).toEqual(
      blocks.map(() => true),
    );
    expect(blocks).toHaveLength(stories.length);
  });

  test.each(stories)('compiles and does what is said: $begins', async (story) => {
    const { text } = blocks.find((block) => block.text.startsWith(story.begins)) ?? { text: '' };
    const url = /'https?:\/\/[^']+'/;
    const source = programOf(text.replace(url, `'${server.url}'`), story);
    const folder = path.join(project, 'blocks');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'main.ts'), source);
    const strict = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext'];
    const lib = ['--lib', 'es2023,dom,esnext.disposable'];
    const checked = await run(process.execPath, [tsc, ...strict, ...lib, 'main.ts'], {
      cwd: folder,
    }).catch((error: unknown) => error as { stdout: string });
    expect(checked.stdout).toBe('');
    const { code } = await transform(source, { loader: 'ts', target: 'es2022', format: 'esm' });
    writeFileSync(path.join(folder, 'main.mjs'), code);
    await run(process.execPath, ['main.mjs'], { cwd: folder, env, timeout: 60_000 });
  });
});

/** Runs lines as a person at bash would, and gives what each of them exits with. */
async function codesOf(lines: readonly string[]): Promise<[string, number | null][]> {
  const codes: [string, number | null][] = [];
  for (const line of lines) {
    const shell = spawn('bash', ['-c', line], { cwd: project, env: shellEnv, stdio: 'ignore' });
    codes.push([line, await new Promise((resolve) => shell.once('close', resolve))]);
  }
  return codes;
}

function shellBlock(begins: string, language = 'sh'): string[] {
  const block = blocksOf('docs/client.md').find(
    (each) => each.language === language && each.text.startsWith(begins),
  );
  return (block?.text ?? '').trimEnd().split('\n');
}

describe('the shell of the guide', () => {
  test('has no block that is not run here', () => {
    const begins = blocksOf('docs/client.md')
      .filter(({ language }) => !['ts', 'sql'].includes(language))
      .map(({ text }) => text.split(' ').slice(0, 2).join(' '));
    expect(begins).toEqual([
      'npm install', // Every test here has installed the package so.
      'holdfast login',
      '0 3',
      'holdfast run',
      'lock() {',
    ]);
  });

  test('is taken by the command line as it stands', async () => {
    const { fencing_token: token } = await api.grant('job:42', { owner: 'a host that is gone' });
    writeFileSync(path.join(project, 'key-file'), `${testKey}\n`);
    const lines = shellBlock('holdfast login').map((line) =>
      line
        .replace('https://locks.example.com', server.url)
        .replace(/\b17\b/, String(token))
        // It looks on until it is interrupted.
        .replace(/^holdfast watch [^ ]+/, (watch) => `timeout --preserve-status -s INT 2 ${watch}`),
    );
    expect(lines).toHaveLength(8);
    const codes = await codesOf(lines);
    const isWatch = (line: string) => line.includes('holdfast watch');
    expect(codes.filter(([line, code]) => code !== 0 && !isWatch(line))).toEqual([]);
    expect(codes.filter(([line, code]) => isWatch(line) && code === 64)).toEqual([]);
    const { lock } = (await api.call('inspect', { resource: 'db:main' })).value();
    expect(lock.held_by_operator).toMatchObject({ reason: 'moving the data' });
  });

  test('runs a nightly program once on five machines, and tells its exit code', async () => {
    script('nightly.sh', 'echo ran >> nights; exit 3');
    const [line = ''] = shellBlock('0 3', 'cron');
    const command = line.replace('0 3 * * * ', '').replace('sleep 60', 'sleep 5');
    const machines = await Promise.all(Array.from({ length: 5 }, () => codesOf([command])));
    expect(machines.map(([only]) => only?.[1]).sort()).toEqual([3, 75, 75, 75, 75]);
  });

  test('lets instances of a deploy migrate one after the other', async () => {
    script('report.sh', 'echo begin >> steps; sleep 0.2; echo end >> steps');
    const lines = shellBlock('holdfast run deploy:migrate');
    const instances = await Promise.all(Array.from({ length: 3 }, () => codesOf(lines)));
    expect(instances.map(([only]) => only?.[1])).toEqual([0, 0, 0]);
    const { stdout } = await run('cat', ['steps'], { cwd: project });
    expect(stdout).toBe('begin\nend\n'.repeat(3));
  });

  test('acquires, renews and releases with plain curl', async () => {
    const resource = fresh('curl:lock');
    const text = shellBlock('lock() {').join('\n');
    const script = text.replaceAll('job%3A42', encodeURIComponent(resource));
    await run('bash', ['-ec', script], { cwd: project, env: shellEnv });
    const { events } = (await api.call('lockEvents', { resource })).value();
    const kinds = events.map(({ kind }) => kind).filter((kind) => kind !== 'renewed');
    expect(kinds).toEqual(['released', 'acquired']);
  });
});
