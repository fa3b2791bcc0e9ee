import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import { ended, type Program } from '../client/programs';
import { fresh } from '../support/both-doors';
import { temporaryFolder } from '../support/server';
import { poll } from '../support/waiting';
import { throughProxy } from './command-line';

const { at, cli } = throughProxy();
beforeEach(() => at().proxy.pass());

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
  const answer = await at().api.call('inspect', { resource });
  return answer.ok ? answer.value().lock.owner : undefined;
}

describe('holdfast run', () => {
  test('tells the command its lock, ends as it ends, and releases', async () => {
    const resource = fresh();
    const script = 'echo "$HOLDFAST_RESOURCE $HOLDFAST_OWNER $HOLDFAST_FENCING_TOKEN"; exit 3';
    const { code, output } = await ended(run(resource, script));
    expect(code).toBe(3);
    const [, owner, token] = output.trim().split(' ');
    const { events } = (await at().api.call('lockEvents', { resource })).value();
    expect(events.map(({ kind }) => kind)).toEqual(['released', 'acquired']);
    expect(events[1]).toMatchObject({ owner, fencing_token: Number(token) });
  });

  test('has a code of its own for each way of not running', async () => {
    const resource = fresh();
    await at().api.grant(resource);
    expect((await ended(run(resource, 'echo ran'))).code).toBe(75);
    const refused = cli(['run', 'job', '--', 'true'], { HOLDFAST_API_KEY: `hf_${'x'.repeat(40)}` });
    expect((await ended(refused)).code).toBe(77);
    const away = cli(['run', 'job', '--', 'true'], { HOLDFAST_URL: 'http://127.0.0.1:9' });
    expect((await ended(away)).code).toBe(69);
    expect((await ended(cli(['run', 'job', '--ttl', '30', '--', 'true']))).code).toBe(64);
    expect((await ended(cli(['run', 'job']))).code).toBe(64);
    expect((await ended(cli(['run', ' job', '--', 'true']))).code).toBe(64);
    expect((await ended(run(fresh(), 'kill -KILL $$'))).code).toBe(137);
  });

  test('says which command could not be run and why, with the codes of shells, and releases', async () => {
    const folder = temporaryFolder();
    const script = (name: string, text: string, mode: number) => {
      writeFileSync(path.join(folder, name), text, { mode });
      return path.join(folder, name);
    };
    const cases: readonly [string, number, RegExp][] = [
      ['./no-such-program', 127, /no-such-program was not found/],
      [script('orphan', '#!/no/such/interpreter\n', 0o755), 127, /interpreter was not found/],
      // These fail in the middle of starting, rather than as an event.
      [`${script('plain', 'true\n', 0o644)}/below`, 127, /was not found/],
      ['', 127, /was not found/],
      [path.join(folder, 'plain'), 126, /may not be executed/],
      [folder, 126, /is a folder/],
    ];
    for (const [program, code, message] of cases) {
      const resource = fresh();
      const outcome = await ended(cli(['run', resource, '--', program]));
      expect(outcome.code, program).toBe(code);
      expect(outcome.errors, program).toMatch(message);
      expect(await holder(resource), program).toBeUndefined();
    }
  });

  test('waits for the lock as long as it is told', async () => {
    const resource = fresh();
    const lock = await at().api.grant(resource, { ttlMs: 1_000 });
    const { code, output } = await ended(run(resource, 'echo ran', '--wait', '30s'));
    expect([code, output]).toEqual([0, 'ran\n']);
    const { events } = (await at().api.call('lockEvents', { resource })).value();
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
    await at().api.grant(resource);
    const program = run(resource, 'echo ran', '--wait', '60s');
    await poll(async () => ((await at().api.call('inspect', { resource })).ok ? true : null), {
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
    at().proxy.refuse();
    // Seen from the service, whose lease is never shorter.
    const { expires_at: expiresAt } = (await at().api.call('inspect', { resource })).value().lock;
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
    at().proxy.swallow();
    expect(await ended(program)).toMatchObject({ code: 76, output: 'ready\ncleaned\n' });
  });

  test('ends the command when an operator ends the lease, and says who and why', async () => {
    const resource = fresh();
    const program = run(resource, 'echo ready; while :; do sleep 0.1; done', '--ttl', '2s');
    await said(program, 'ready');
    const { fencing_token: token } = (await at().api.call('inspect', { resource })).value().lock;
    const body = { fencing_token: token, reason: 'it was stuck' };
    (await at().api.call('forceRelease', { resource, body })).value();
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
