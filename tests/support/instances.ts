import { createApi, type Api } from './api';
import { startServer, type ServerOptions } from './server';

/** Several servers on one database. */
export interface Instances {
  /** The instance of a number, round and round. */
  api(number: number): Api;
  all: readonly Api[];
  /** Where each listens. */
  urls: readonly string[];
  stop(): Promise<void>;
}

/** One instance for each of the given options, started at once. */
export async function startInstances(options: readonly ServerOptions[]): Promise<Instances> {
  const servers = await Promise.all(options.map(startServer));
  const all = servers.map((server) => createApi(server));
  return {
    all,
    urls: servers.map(({ url }) => url),
    api(number) {
      const api = all[number % all.length];
      if (api === undefined) throw new Error('There is no instance');
      return api;
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}
