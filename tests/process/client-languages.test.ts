import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createApi, type Api } from '../support/api';
import { fresh } from '../support/both-doors';
import { testKey } from '../support/callers';
import { startServer, temporaryFolder, type TestServer } from '../support/server';

const examples = path.join(import.meta.dirname, '../../examples');

// Each holds a lock through its TTL, meets one that is held, nobody at an address, and loses one to an operator.
const python = `
import os, time
from holdfast_lock import lock, Lost, NotAcquired, Unavailable
url, key, name = os.environ["HOLDFAST_URL"], os.environ["HOLDFAST_API_KEY"], os.environ["NAME"]
with lock(url, key, name, 1) as lease:
    time.sleep(1.8)
    print("held", lease.is_held(), lease.fencing_token > 0, flush=True)
    try:
        with lock(url, key, name, 1, wait=0): print("twice")
    except NotAcquired: print("not acquired", flush=True)
try:
    with lock("http://127.0.0.1:9", key, name, 1, wait=0): print("nowhere")
except Unavailable: print("unavailable", flush=True)
try:
    with lock(url, key, name + ":lost", 1) as lease:
        print("ready", flush=True)
        lease.lost.wait(20)
except Lost: print("lost", flush=True)
`;

const go = `package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"example.com/holdfast"
)

func main() {
	client := holdfast.Client{URL: os.Getenv("HOLDFAST_URL"), Key: os.Getenv("HOLDFAST_API_KEY")}
	name, nothing := os.Getenv("NAME"), func(context.Context, int64) error { return nil }
	client.Using(name, time.Second, 10*time.Second, func(ctx context.Context, token int64) error {
		time.Sleep(1800 * time.Millisecond)
		fmt.Println("held", ctx.Err() == nil, token > 0)
		if errors.Is(client.Using(name, time.Second, 0, nothing), holdfast.ErrNotAcquired) {
			fmt.Println("not acquired")
		}
		return nil
	})
	nowhere := holdfast.Client{URL: "http://127.0.0.1:9", Key: client.Key}
	if errors.Is(nowhere.Using(name, time.Second, 0, nothing), holdfast.ErrUnavailable) {
		fmt.Println("unavailable")
	}
	err := client.Using(name+":lost", time.Second, 10*time.Second, func(ctx context.Context, token int64) error {
		fmt.Println("ready")
		<-ctx.Done()
		return nil
	})
	if errors.Is(err, holdfast.ErrLost) {
		fmt.Println("lost")
	}
}
`;

describe('a recipe', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await startServer();
    api = createApi(server);
  });
  afterAll(() => server.stop());

  test('in Python holds, is kept out, tells an outage from that, and learns of its loss', async () => {
    const file = path.join(temporaryFolder(), 'main.py');
    writeFileSync(file, python);
    const places = { PYTHONPATH: path.join(examples, 'python'), PYTHONDONTWRITEBYTECODE: '1' };
    await tellsAll('python3', [file], places);
  });

  const hasGo = spawnSync('go', ['version']).error === undefined;
  test.runIf(hasGo)(
    'in Go holds, is kept out, tells an outage from that, and learns of its loss',
    async () => {
      const folder = temporaryFolder();
      writeFileSync(path.join(folder, 'main.go'), go);
      const module = [
        'module recipe',
        'go 1.21',
        'require example.com/holdfast v0.0.0',
        `replace example.com/holdfast => ${path.join(examples, 'go')}`,
      ];
      writeFileSync(path.join(folder, 'go.mod'), module.join('\n\n'));
      const program = path.join(folder, 'recipe');
      const offline = { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=mod' };
      await promisify(execFile)('go', ['build', '-o', program, '.'], { cwd: folder, env: offline });
      await tellsAll(program, [], {});
    },
  );

  async function tellsAll(
    program: string,
    args: readonly string[],
    more: Record<string, string>,
  ): Promise<void> {
    const resource = fresh('a recipe/lock');
    const environment = { HOLDFAST_URL: server.url, HOLDFAST_API_KEY: testKey, NAME: resource };
    const env = { ...process.env, ...environment, ...more };
    const running = promisify(execFile)(program, args, { env, timeout: 60_000 });
    running.child.stdout?.on('data', (chunk: Buffer | string) => {
      if (String(chunk).includes('ready')) void forceRelease(`${resource}:lost`);
    });
    const { stdout } = await running;
    const heard = stdout.toLowerCase().trimEnd().split('\n');
    expect(heard).toEqual(['held true true', 'not acquired', 'unavailable', 'ready', 'lost']);
    const { events } = (await api.call('lockEvents', { resource })).value();
    const kinds = events.map(({ kind }) => kind).filter((kind) => kind !== 'renewed');
    expect(kinds).toEqual(['released', 'acquired']);
  }

  async function forceRelease(resource: string): Promise<void> {
    const { lock } = (await api.call('inspect', { resource })).value();
    const body = { fencing_token: lock.fencing_token, reason: 'it was stuck' };
    (await api.call('forceRelease', { resource, body })).value();
  }
});
