import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, test } from 'vitest';

import { ended } from '../client/programs';
import { fresh } from '../support/both-doors';
import { testKey } from '../support/callers';
import { temporaryFolder } from '../support/server';
import { poll } from '../support/waiting';
import { throughProxy } from './command-line';

const root = path.join(import.meta.dirname, '../..');
const { at, cli } = throughProxy();

async function holder(resource: string): Promise<string | undefined> {
  const answer = await at().api.call('inspect', { resource });
  return answer.ok ? answer.value().lock.owner : undefined;
}

describe('the commands beside run', () => {
  test('show what there is, to people and to programs', async () => {
    const resource = fresh('shown');
    const lock = await at().api.grant(resource, { owner: 'me', metadata: { job: 'report' } });
    const list = await ended(cli(['ls', '--prefix', 'shown-']));
    expect(list.output).toMatch(/^NAME +OWNER +TOKEN +STATE +LEFT +CLIENT\n/);
    expect(list.output).toContain(`${resource}  me     ${lock.fencing_token}`);
    const { output } = await ended(cli(['ls', '--prefix', 'shown-', '--json']));
    expect(JSON.parse(output)).toMatchObject({ locks: [{ resource, owner: 'me' }] });
    expect((await ended(cli(['show', resource]))).output).toMatch(/job +report\n/);
    expect((await ended(cli(['history', resource]))).output).toContain('acquired');
    expect((await ended(cli(['show', fresh()]))).code).toBe(1);
    const token = String(lock.fencing_token);
    expect((await ended(cli(['check', resource, token]))).code).toBe(0);
    expect((await ended(cli(['check', resource, String(lock.fencing_token + 1)]))).code).toBe(1);
  });

  test('end the lease that was named, and no other', async () => {
    const resource = fresh();
    const { fencing_token: token } = await at().api.grant(resource, { owner: 'me' });
    const unnamed = await ended(cli(['force-release', resource, '--reason', 'it was stuck']));
    expect(unnamed.code).toBe(64);
    expect(unnamed.errors).toContain(`--token ${token}`);
    const wrong = [
      'force-release',
      resource,
      '--token',
      String(token + 1),
      '--reason',
      'it was stuck',
    ];
    expect((await ended(cli(wrong))).code).toBe(1);
    const right = ['force-release', resource, '--token', String(token), '--reason', 'it was stuck'];
    expect((await ended(cli(right))).output).toContain('was not stopped');
    expect(await holder(resource)).toBeUndefined();
    expect((await ended(cli(['hold', resource, '--reason', 'out of service']))).code).toBe(0);
    expect(await holder(resource)).toMatch(/^operator:/);
  });

  test('watch one lock', async () => {
    const resource = fresh();
    await at().api.grant(resource, { owner: 'first' });
    const program = cli(['watch', resource, '--json']);
    // It tells what happens from when it looks on, so something happens until it does.
    await poll(
      async () => {
        await at().api.grant(resource, { owner: 'first' });
        return program.output().includes('reacquired') ? true : null;
      },
      { withinMs: 20_000, everyMs: 300, describe: () => program.errors() },
    );
    program.signal('SIGTERM');
    await program.ended;
    const [line = ''] = program.output().split('\n');
    expect(JSON.parse(line)).toMatchObject({ resource, owner: 'first' });
  });

  test('print names so that they change nothing of the terminal, and read back as they are', async () => {
    const resource = `${fresh('hostile')}\u202eevil\u2066\u200b`;
    await at().api.grant(resource, { owner: '日本' });
    const { output } = await ended(cli(['ls', '--prefix', 'hostile-']));
    expect(output).toContain('\\u202eevil\\u2066\\u200b');
    expect(output).not.toMatch(/[\u202e\u2066\u200b]/);
    const { output: json } = await ended(cli(['ls', '--prefix', 'hostile-', '--json']));
    expect(json).not.toMatch(/[\u202e\u2066\u200b]/);
    expect(JSON.parse(json)).toMatchObject({ locks: [{ resource, owner: '日本' }] });
  });

  test('store a key that the service has taken, for the owner of the file alone', async () => {
    const home = temporaryFolder();
    const url = at().environment['HOLDFAST_URL'] ?? '';
    const stored = path.join(home, 'holdfast', 'login.json');
    const bare = { HOLDFAST_URL: '', HOLDFAST_API_KEY: '', XDG_CONFIG_HOME: home };

    const wrong = cli(['login', '--url', url], bare);
    wrong.write(`hf_${randomBytes(20).toString('hex')}`);
    expect((await ended(wrong)).code).toBe(77);
    expect(existsSync(stored)).toBe(false);

    const right = cli(['login', '--url', url], bare);
    right.write(testKey);
    const { code, output, errors } = await ended(right);
    expect(code).toBe(0);
    expect(output + errors).not.toContain(testKey);
    expect(statSync(stored).mode & 0o777).toBe(0o600);
    expect((await ended(cli(['ls'], bare))).code).toBe(0);
    // The key is for that address alone.
    expect((await ended(cli(['ls', '--url', at().server.url], bare))).code).toBe(77);
  });

  describe.each(['bash', 'zsh'])('complete in %s', (shell) => {
    const isThere = spawnSync(shell, ['--version']).error === undefined;

    test.runIf(isThere)(
      'commands, options and names, also beyond a colon and a space',
      async () => {
        const folder = temporaryFolder();
        const prefix = fresh('done');
        await at().api.grant(`${prefix}:a b`);
        mkdirSync(path.join(folder, 'bin'));
        const command = path.join(folder, 'bin/holdfast');
        writeFileSync(
          command,
          `#!/bin/sh\nexec "${process.execPath}" "${root}/client/dist/cli.js" "$@"\n`,
        );
        chmodSync(command, 0o755);
        writeFileSync(path.join(folder, 'report.sh'), '');
        const { output } = await ended(cli(['completion', shell]));
        const file = path.join(folder, 'completion');
        writeFileSync(file, output);
        const typed = [
          'holdfast forc',
          'holdfast run --tt',
          `holdfast show ${prefix.slice(0, -1)}`,
          `holdfast show ${prefix}:`,
          `holdfast show ${prefix}:a\\ `,
          'holdfast run job -- ./repo',
        ];
        const { stdout } = await promisify(execFile)(
          'python3',
          [path.join(root, 'tests/client/programs/complete.py'), shell, file, ...typed],
          {
            encoding: 'utf8',
            cwd: folder,
            env: {
              ...process.env,
              ...at().environment,
              PATH: `${path.join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
              TERM: 'xterm',
            },
          },
        );
        const name = `holdfast show ${prefix}:a b`;
        expect(stdout.trimEnd().split('\n')).toEqual([
          'holdfast force-release',
          'holdfast run --ttl',
          name,
          name,
          name,
          'holdfast run job -- ./report.sh',
        ]);
      },
    );
  });

  test('complete in no other shell', async () => {
    expect((await ended(cli(['completion', 'fish']))).code).toBe(64);
  });
});
