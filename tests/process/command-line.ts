import { afterAll, beforeAll } from 'vitest';

import { holdfast, type Program } from '../client/programs';
import { createApi, type Api } from '../support/api';
import { testKey } from '../support/callers';
import { startProxy, type Proxy } from '../support/proxy';
import { startServer, temporaryFolder, type TestServer } from '../support/server';

export interface CommandLine {
  readonly server: TestServer;
  readonly api: Api;
  readonly proxy: Proxy;
  readonly environment: Readonly<Record<string, string>>;
}

/** A server for the tests of a file, which the command line reaches through a proxy. Its members are there in tests alone. */
export function throughProxy(): {
  readonly at: () => CommandLine;
  readonly cli: (args: readonly string[], extra?: Readonly<Record<string, string>>) => Program;
} {
  let line: CommandLine | null = null;
  const at = () => {
    if (line === null) throw new Error('The server is started before the tests, and only then');
    return line;
  };
  beforeAll(async () => {
    const server = await startServer();
    const proxy = await startProxy(Number(new URL(server.url).port));
    const environment = {
      HOLDFAST_URL: `http://127.0.0.1:${proxy.port}`,
      HOLDFAST_API_KEY: testKey,
      XDG_CONFIG_HOME: temporaryFolder(),
    };
    line = { server, api: createApi(server), proxy, environment };
  });
  afterAll(async () => {
    await line?.proxy.close();
    await line?.server.stop();
  });
  return { at, cli: (args, extra = {}) => holdfast(args, { ...at().environment, ...extra }) };
}
