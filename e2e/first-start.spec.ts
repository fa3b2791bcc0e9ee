import { startServer } from '@/tests/support/server';

import { Api, newGroup } from './support/api';
import { e2eKey } from './support/callers';
import { expect, rowOf, test } from './support/test';

test('from the link that the first start prints to the first lock', async ({ page }) => {
  const server = await startServer({ environment: { HOLDFAST_API_KEY: e2eKey } });
  try {
    await page.context().clearCookies();
    await page.goto(server.url);
    await page.waitForURL((url) => url.pathname === '/sign-in');
    await expect(page.getByText('Nobody has been set up yet.')).toBeVisible();

    await expect.poll(() => linkIn(server.log())).not.toBeNull();
    await page.goto(linkIn(server.log()) ?? '');
    await expect(page.getByRole('heading', { name: 'Become the first admin' })).toBeVisible();
    await page.getByLabel('E-mail').fill('Mia@Example.com');
    await page.getByLabel('New password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.waitForURL('**/locks');
    await expect(page.getByText('No locks yet.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'API keys' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Members' })).toBeVisible();

    const resource = `${newGroup()}/first`;
    await new Api(server.url).acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
    await expect(rowOf(page, resource)).toBeVisible();
  } finally {
    await server.stop();
  }
});

function linkIn(log: string): string | null {
  return /http:\S+\/set-up#hfl_[\w-]+/.exec(log)?.[0] ?? null;
}
