import type { TestProject } from 'vitest/node';

import { startPostgres } from './postgres-cluster';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where tests may make databases of their own. */
    readonly postgresUrl: string;
  }
}

/** One PostgreSQL for all tests of a run: the one of `TEST_DATABASE_URL`, or one that is started and removed. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'] ?? '';
  if (given !== '') {
    project.provide('postgresUrl', given);
    return () => Promise.resolve();
  }
  const cluster = await startPostgres();
  project.provide('postgresUrl', cluster.url);
  return () => cluster.remove();
}
