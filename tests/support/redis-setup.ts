import type { TestProject } from 'vitest/node';

import { startRedis } from './redis-server';

declare module 'vitest' {
  interface ProvidedContext {
    /** A Redis for all tests of a run, each with a prefix of its own. */
    readonly redisUrl: string;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const server = await startRedis();
  project.provide('redisUrl', server.url);
  return () => server.remove();
}
