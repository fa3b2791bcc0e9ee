import type { Page } from '@playwright/test';

import { expect, test } from './test';

/** From the next page on, in these colours. */
export async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  const url = test.info().project.use.baseURL ?? '';
  await page.context().addCookies([{ name: 'holdfast_theme', value: theme, url }]);
}

export async function expectNoOverflow(page: Page): Promise<void> {
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - window.innerWidth,
  );
  expect(overflow).toBeLessThanOrEqual(0);
}
