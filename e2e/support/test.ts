import { test as base, expect, type Locator, type Page } from '@playwright/test';

import { AdminApi } from './access';
import { Api, newGroup } from './api';
import { signIn, type Cookie } from './callers';
import { People } from './people';

interface Fixtures {
  readonly api: Api;
  readonly admin: AdminApi;
  /** `e2e-…`: names of this test begin with it. */
  readonly group: string;
  readonly people: People;
}

/**
 * Every test has the API, a group of names of its own, a page whose browser is signed in, and which must not complain in
 * its console.
 */
export const test = base.extend<
  Fixtures & { readonly isQuiet: undefined },
  { readonly session: Cookie }
>({
  // Once for each worker: signing in is slow on purpose.
  session: [
    async ({}, use, { project }) => use(await signIn(project.use.baseURL ?? '')),
    { scope: 'worker' },
  ],
  context: async ({ context, session }, use) => {
    await context.addCookies([session]);
    await use(context);
  },
  api: async ({ baseURL }, use) => use(new Api(baseURL ?? '')),
  admin: async ({ baseURL, session }, use) => use(new AdminApi(baseURL ?? '', session)),
  people: async ({ admin }, use) => use(new People(admin)),
  group: async ({}, use) => use(newGroup()),
  isQuiet: [
    async ({ page }, use) => {
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        const isExpected = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !isExpected) complaints.push(message.text());
      });
      await use(undefined);
      expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** The list, narrowed to this test's locks. */
export async function openList(page: Page, group: string, more = ''): Promise<void> {
  await page.goto(`/locks?prefix=${encodeURIComponent(group)}${more}`);
  await expect(page.locator('[data-liveness="live"]')).toBeVisible();
}

export async function openLock(page: Page, resource: string): Promise<void> {
  await page.goto(`/locks/${encodeURIComponent(resource)}`);
  await expect(page.locator('[data-liveness="live"]')).toBeVisible();
}

/** The row of one lock. A name may hold quotes and brackets, so it is compared, not put into a selector. */
export function rowOf(page: Page, resource: string): Locator {
  return page.getByRole('row').filter({ has: page.getByTitle(resource, { exact: true }) });
}

export function stateOf(row: Locator): Locator {
  return row.locator('[data-state]');
}

export function historyOf(page: Page, kind: string): Locator {
  return page.locator(`[data-event="${kind}"]`);
}
