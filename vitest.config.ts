import { defineConfig } from 'vitest/config';

const shared = { resolve: { alias: { '@': import.meta.dirname } } };

export default defineConfig({
  ...shared,
  test: {
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          include: [
            'lib/**/*.test.ts',
            'tests/lint/**/*.test.ts',
            'tests/client/**/*.test.ts',
            'tests/contract/**/*.test.ts',
            'tests/support/**/*.test.ts',
          ],
        },
      },
      {
        ...shared,
        test: {
          name: 'stores',
          include: ['tests/stores/**/*.test.ts'],
          testTimeout: 30_000,
          globalSetup: ['tests/support/postgres-setup.ts', 'tests/support/redis-setup.ts'],
        },
      },
      {
        ...shared,
        test: {
          name: 'servers',
          include: ['tests/http/**/*.test.ts', 'tests/process/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          globalSetup: ['tests/support/postgres-setup.ts', 'tests/support/redis-setup.ts'],
        },
      },
    ],
  },
});
