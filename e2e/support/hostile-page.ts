import type { Page } from '@playwright/test';

import { expect } from './test';

/** What a page may make of texts that somebody else wrote: text, and nothing else. */

/** What no text of anybody's may become; a lock's page and the list have none of their own. */
export const foreign =
  'script, img, image, iframe, object, embed, video, audio, marquee, base, meta, link, style, math, template, noscript';

/** Tells what ran, and what the policy on scripts had to stop: it is the last line of defence, not the first. */
export async function watch(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const happened: string[] = [];
    Object.assign(window, { happened, owned: () => happened.push('a script ran') });
    document.addEventListener('securitypolicyviolation', (event) => {
      happened.push(`${event.violatedDirective} stopped ${event.blockedURI} ${event.sample}`);
    });
  });
  page.on('dialog', (dialog) => void dialog.dismiss());
  return () => page.evaluate(() => (window as unknown as { happened: string[] }).happened);
}

export async function expectFits(page: Page, what: string) {
  const over = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  await expect.poll(over, what).toBeLessThanOrEqual(0);
}

/** Every text in the document that somebody else wrote, as it stands there. */
export function textsIn(page: Page, within: string) {
  return page.locator(`${within} bdi`).evaluateAll((all) => all.map((one) => one.textContent));
}
