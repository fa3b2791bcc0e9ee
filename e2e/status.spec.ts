import { inMemory, startRedis } from '@/tests/support/redis-server';
import { startServer } from '@/tests/support/server';

import { expectNoViolations } from './support/axe';
import { e2eAdmin, signIn } from './support/callers';
import { expectNoOverflow, setTheme } from './support/looks';
import { expect, test } from './support/test';

/** What an operator asks first of a service that behaves oddly. */

test('the status tells the store, how long it takes, and what a lock means in it', async ({
  page,
}) => {
  await page.goto('/locks');
  await page.getByRole('link', { name: 'Status', exact: true }).click();
  const service = page.getByRole('region', { name: 'This service' });
  await expect(service).toContainText(/Version\d+\.\d+\.\d+/);
  await expect(service).toContainText(/Locks inSQLite 3\.\d+/);
  await expect(service).toContainText(/One read\d+(\.\d+)? ms/);
  await expect(service).toContainText('Agrees with the store’s');
  await expect(page.getByRole('region', { name: 'What weakens the promises' })).toContainText(
    'Nothing that the service can see.',
  );
  await expect(page.getByRole('region', { name: 'What a lock means here' })).toContainText(
    'one file, one machine',
  );
});

test('a browser whose clock is an hour behind is told so', async ({ page }) => {
  await page.addInitScript(() => {
    const { now } = Date;
    Date.now = () => now() - 3_600_000;
  });
  await page.goto('/status');
  await expect(page.getByRole('region', { name: 'This service' })).toContainText(
    /(59 min 59 s|1 h) behind the store’s/,
  );
});

test('what weakens the promises of Redis is said, and when it does not answer', async ({
  page,
}) => {
  const redis = await startRedis(inMemory);
  const server = await startServer({
    environment: {
      LOCK_STORE_URL: redis.url,
      HOLDFAST_ADMIN_EMAIL: e2eAdmin.email,
      HOLDFAST_ADMIN_PASSWORD: e2eAdmin.password,
    },
  });
  try {
    await page.context().addCookies([await signIn(server.url)]);
    await page.goto(`${server.url}/status`);
    const warnings = page.getByRole('region', { name: 'What weakens the promises' });
    await expect(warnings.getByRole('listitem')).toHaveText([/no append-only file/]);
    await expect(page.getByRole('region', { name: 'What a lock means here' })).toContainText(
      'also when Redis loses its data',
    );
    await redis.kill();
    await expect(page.getByRole('main').getByRole('alert')).toBeVisible({ timeout: 30_000 });
    await expect(warnings).toBeVisible();
  } finally {
    await server.stop();
    await redis.remove();
  }
});

for (const { theme, width } of [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 390 },
] as const) {
  test(`the page of the status passes axe and fits in ${theme} at ${width} px`, async ({
    page,
  }) => {
    await setTheme(page, theme);
    await page.setViewportSize({ width, height: 844 });
    await page.goto('/status');
    await expect(page.getByRole('region', { name: 'This service' })).toBeVisible();
    await expectNoViolations(page);
    await expectNoOverflow(page);
  });
}
