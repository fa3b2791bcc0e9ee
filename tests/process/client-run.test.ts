import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { holdfast, type Program } from '../client/programs';
import { createApi, type Api } from '../support/api';
import { fresh } from '../support/both-doors';
import { testKey } from '../support/callers';
import { startProxy, type Proxy } from '../support/proxy';
import { startServer, temporaryFolder, type TestServer } from '../support/server';
import { poll } from '../support/waiting';

let server: TestServer;
let api: Api;
let proxy: Proxy;
let environment: Record<string, string>;

beforeAll(async () => {
  server = await startServer();
  api = createApi(server);
  proxy = await startProxy(Number(new URL(server.url).port));
  environment = {
    HOLDFAST_URL: `http://127.0.0.1:${proxy.port}`,
    HOLDFAST_API_KEY: testKey,
    XDG_CONFIG_HOME: temporaryFolder(),
  };
});
beforeEach(() => proxy.pass());
afterAll(async () => {
  await proxy.close();
  await server.stop();
});

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

async function ended(program: Program): Promise<Ended> {
  const { code } = await program.ended;
  return { code, output: program.output(), errors: program.errors() };
}

function cli(args: readonly string[], extra: Record<string, string> = {}): Program {
  return holdfast(args, { ...environment, ...extra });
}

/** Runs a shell script under a lock. */
function run(resource: string, script: string, ...options: string[]): Program {
  return cli(['run', resource, ...options, '--', 'sh', '-c', script]);
}

async function said(program: Program, text: string): Promise<string> {
  return poll(() => (program.output().includes(text) ? program.output() : null), {
    withinMs: 30_000,
    describe: () => `${text} is not said: ${program.output()}${program.errors()}`,
  });
}

function isRunning(pid: string): boolean {
  try {
    // A zombie has ended.
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

async function holder(resource: string): Promise<string | undefined> {
  const answer = await api.call('inspect', { resource });
  return answer.ok ? answer.value().lock.owner : undefined;
}

describe('holdfast run', () => {
  test('tells the command its lock, ends as it ends, and releases', async () => {
    const resource = fresh();
    const script = 'echo "$HOLDFAST_RESOURCE $HOLDFAST_OWNER $HOLDFAST_FENCING_TOKEN"; exit 3';
    const { code, output } = await ended(run(resource, script));
    expect(code).toBe(3);
    const [, owner, token] = output.trim().split(' ');
    const { events } = (await api.call('lockEvents', { resource })).value();
    expect(events.map(({ kind }) => kind)).toEqual(['released', 'acquired']);
    expect(events[1]).toMatchObject({ owner, fencing_token: Number(token) });
  });

  test('has a code of its own for each way of not running', async () => {
    const resource = fresh();
    await api.grant(resource);
    expect((await ended(run(resource, 'echo ran'))).code).toBe(75);
    const refused = cli(['run', 'job', '--', 'true'], { HOLDFAST_API_KEY: `hf_${'x'.repeat(40)}` });
    expect((await ended(refused)).code).toBe(77);
    const away = cli(['run', 'job', '--', 'true'], { HOLDFAST_URL: 'http://127.0.0.1:9' });
    expect((await ended(away)).code).toBe(69);
    expect((await ended(cli(['run', 'job', '--ttl', '30', '--', 'true']))).code).toBe(64);
    expect((await ended(cli(['run', 'job']))).code).toBe(64);
    expect((await ended(cli(['run', ' job', '--', 'true']))).code).toBe(64);
    expect((await ended(cli(['run', fresh(), '--', './no-such-program']))).code).toBe(127);
    expect((await ended(cli(['run', fresh(), '--', '/']))).code).toBe(126);
    expect((await ended(run(fresh(), 'kill -KILL $$'))).code).toBe(137);
  });

  test('waits for the lock as long as it is told', async () => {
    const resource = fresh();
    const lock = await api.grant(resource, { ttlMs: 1_000 });
    const { code, output } = await ended(run(resource, 'echo ran', '--wait', '30s'));
    expect([code, output]).toEqual([0, 'ran\n']);
    const { events } = (await api.call('lockEvents', { resource })).value();
    expect(events.at(-1)?.fencing_token).toBe(lock.fencing_token);
  });

  test('passes signals on to the command', async () => {
    const program = run(
      fresh(),
      'trap "echo heard; exit 5" TERM; echo ready; while :; do sleep 0.1; done',
    );
    await said(program, 'ready');
    program.signal('SIGTERM');
    expect(await ended(program)).toMatchObject({ code: 5, output: 'ready\nheard\n' });
  });

  test('leaves at a signal while it waits', async () => {
    const resource = fresh();
    await api.grant(resource);
    const program = run(resource, 'echo ran', '--wait', '60s');
    await poll(async () => ((await api.call('inspect', { resource })).ok ? true : null), {
      withinMs: 10_000,
      describe: () => 'no lock',
    });
    // It may not listen yet; a signal before that ends it as well.
    await new Promise((resolve) => setTimeout(resolve, 500));
    program.signal('SIGINT');
    const { code, output } = await ended(program);
    expect([code === 130 || code === null, output]).toEqual([true, '']);
  });

  test('ends a command that ignores TERM before its lease ends', async () => {
    const resource = fresh();
    const script = 'trap "" TERM; echo $$; while :; do sleep 0.1; done';
    const program = run(resource, script, '--ttl', '3s', '--kill-after', '500ms');
    const pid = (await said(program, '\n')).trim();
    proxy.refuse();
    // Seen from the service, whose lease is never shorter.
    const { expires_at: expiresAt } = (await api.call('inspect', { resource })).value().lock;
    await poll(() => (isRunning(pid) ? null : true), {
      withinMs: 30_000,
      everyMs: 5,
      describe: () => 'the command goes on',
    });
    expect(Date.now()).toBeLessThan(Date.parse(expiresAt));
    expect((await ended(program)).code).toBe(76);
  });

  test('lets a command that outlives its lease clean up first', async () => {
    const script = 'trap "echo cleaned; exit 0" TERM; echo ready; while :; do sleep 0.05; done';
    const program = run(fresh(), script, '--ttl', '3s');
    await said(program, 'ready');
    proxy.swallow();
    expect(await ended(program)).toMatchObject({ code: 76, output: 'ready\ncleaned\n' });
  });

  test('ends the command when an operator ends the lease, and says who and why', async () => {
    const resource = fresh();
    const program = run(resource, 'echo ready; while :; do sleep 0.1; done', '--ttl', '2s');
    await said(program, 'ready');
    const { fencing_token: token } = (await api.call('inspect', { resource })).value().lock;
    const body = { fencing_token: token, reason: 'it was stuck' };
    (await api.call('forceRelease', { resource, body })).value();
    const { code, errors } = await ended(program);
    expect(code).toBe(76);
    expect(errors).toContain('it was stuck');
  });

  test('ends what the command has left behind before it releases', async () => {
    const resource = fresh();
    // The one that is left ignores TERM as well.
    const script = `sh -c 'trap "" TERM; echo $$; while :; do sleep 0.1; done' & sleep 0.5; exit 4`;
    const program = run(resource, script, '--kill-after', '300ms');
    const left = (await said(program, '\n')).trim();
    expect((await ended(program)).code).toBe(4);
    expect(isRunning(left)).toBe(false);
    expect(await holder(resource)).toBeUndefined();
  });

  test('kills at once when it was itself stopped past the end of the lease', async () => {
    const resource = fresh();
    const program = run(resource, 'echo $$; while :; do sleep 0.1; done', '--ttl', '1s');
    const pid = (await said(program, '\n')).trim();
    program.signal('SIGSTOP');
    await poll(async () => ((await holder(resource)) === undefined ? true : null), {
      withinMs: 20_000,
      describe: () => 'the lease does not end',
    });
    program.signal('SIGCONT');
    expect((await ended(program)).code).toBe(76);
    expect(isRunning(pid)).toBe(false);
  });
});

describe('the other commands', () => {
  test('show what there is, to people and to programs', async () => {
    const resource = fresh('shown');
    const lock = await api.grant(resource, { owner: 'me', metadata: { job: 'report' } });
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
    const { fencing_token: token } = await api.grant(resource, { owner: 'me' });
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
    await api.grant(resource, { owner: 'first' });
    const program = cli(['watch', resource, '--json']);
    // It tells what happens from when it looks on, so something happens until it does.
    await poll(
      async () => {
        await api.grant(resource, { owner: 'first' });
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
    await api.grant(resource, { owner: '日本' });
    const { output } = await ended(cli(['ls', '--prefix', 'hostile-']));
    expect(output).toContain('\\u202eevil\\u2066\\u200b');
    expect(output).not.toMatch(/[\u202e\u2066\u200b]/);
    const { output: json } = await ended(cli(['ls', '--prefix', 'hostile-', '--json']));
    expect(json).not.toMatch(/[\u202e\u2066\u200b]/);
    expect(JSON.parse(json)).toMatchObject({ locks: [{ resource, owner: '日本' }] });
  });

  test('store a key that the service has taken, for the owner of the file alone', async () => {
    const home = temporaryFolder();
    const url = environment['HOLDFAST_URL'] ?? '';
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
    expect((await ended(cli(['ls', '--url', server.url], bare))).code).toBe(77);
  });

  test('complete in bash what the parser knows', async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'bin'));
    const { output } = await ended(cli(['completion', 'bash']));
    writeFileSync(path.join(folder, 'completion'), output);
    const asked = [
      `source ${path.join(folder, 'completion')}`,
      'COMP_WORDS=(holdfast fo); COMP_CWORD=1; _holdfast; echo "${COMPREPLY[@]}"',
      'COMP_WORDS=(holdfast run --t); COMP_CWORD=2; _holdfast; echo "${COMPREPLY[@]}"',
    ];
    const { execFileSync } = await import('node:child_process');
    const said = execFileSync('bash', ['-c', asked.join('\n')], { encoding: 'utf8' });
    expect(said).toBe('force-release\n--ttl\n');
    expect((await ended(cli(['completion', 'zsh']))).output).toContain('#compdef holdfast');
    expect((await ended(cli(['completion', 'fish']))).code).toBe(64);
  });
});
