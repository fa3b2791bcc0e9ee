import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { defineConfig } from '@playwright/test';

import { e2eAdmin, e2eKey } from './e2e/support/callers';

/** A server that is already there, such as one under development; without it, the built one is started for the run. */
const given = process.env['HOLDFAST_E2E_URL'];

// This file is read again by every worker: what the first reading chose is handed on in the environment.
if (given === undefined) {
  process.env['HOLDFAST_E2E_PORT'] ??= String(await freePort());
  process.env['HOLDFAST_E2E_DATA'] ??= mkdtempSync(path.join(tmpdir(), 'holdfast-e2e-'));
}
const port = process.env['HOLDFAST_E2E_PORT'] ?? '';
const data = process.env['HOLDFAST_E2E_DATA'] ?? '';
const ownUrl = `http://127.0.0.1:${port}`;

export default defineConfig({
  testDir: 'e2e',
  fullyParallel: true,
  forbidOnly: Boolean(process.env['CI']),
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  outputDir: 'test-results',
  use: {
    baseURL: given ?? ownUrl,
    locale: 'en-GB',
    viewport: { width: 1440, height: 900 },
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env['PLAYWRIGHT_CHROMIUM'] ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  ...(given === undefined
    ? {
        webServer: {
          command: 'node dist/server.mjs',
          url: `${ownUrl}/api/health/ready`,
          timeout: 60_000,
          stdout: 'ignore' as const,
          stderr: 'pipe' as const,
          env: {
            HOST: '127.0.0.1',
            PORT: port,
            DATABASE_URL: `file:${path.join(data, 'e2e.db')}`,
            NODE_ENV: 'production',
            HOLDFAST_API_KEY: e2eKey,
            HOLDFAST_ADMIN_EMAIL: e2eAdmin.email,
            HOLDFAST_ADMIN_PASSWORD: e2eAdmin.password,
          },
        },
      }
    : {}),
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('No port.'));
        else resolve(address.port);
      });
    });
  });
}
