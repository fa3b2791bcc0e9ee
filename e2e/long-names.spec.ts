import type { Locator, Page } from '@playwright/test';

import { soonOver } from './support/api';
import { expect, openList, openLock, rowOf, stateOf, test } from './support/test';

/** A name of so many bytes, or a few less, out of one piece of text. */
function nameOf(piece: string, bytesMax: number, start = ''): string {
  const room = bytesMax - Buffer.byteLength(start);
  return (start + piece.repeat(Math.floor(room / Buffer.byteLength(piece)))).trimEnd();
}

/** Each of what makes a line long: no place to break, many, wide characters, and one that is as wide as a word. */
const pieces = {
  'one word': 'w',
  words: 'a wide name ',
  'wide characters': '界',
  'wide ligatures': '﷽',
};

const reason = 'w'.repeat(500);

/** Nothing goes beyond what holds it, and what can be pressed is within reach. */
async function expectFits(page: Page, dialog?: Locator): Promise<void> {
  const beyond = await page.evaluate(() => {
    const root = document.scrollingElement ?? document.body;
    return root.scrollWidth - root.clientWidth;
  });
  expect(beyond).toBeLessThanOrEqual(0);
  if (dialog === undefined) return;
  await expect(dialog).toBeVisible();
  const sticking = await dialog.evaluate((element) => {
    const frame = element.getBoundingClientRect();
    /** What of a part can be seen: less than its box where a line cuts it. */
    const seen = (part: Element) => {
      let { left, right } = part.getBoundingClientRect();
      for (let around = part.parentElement; around !== element; around = around.parentElement) {
        if (around === null) break;
        if (getComputedStyle(around).overflowX === 'visible') continue;
        const box = around.getBoundingClientRect();
        [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      }
      return { left, right, width: right - left };
    };
    const sideways = [...element.querySelectorAll('*')].filter((part) => {
      const { left, right, width } = seen(part);
      return width > 1 && (left < frame.left - 1 || right > frame.right + 1);
    });
    const parts = sideways.map((part) => part.outerHTML.slice(0, 90));
    if (element.scrollWidth > element.clientWidth) parts.push('the dialog scrolls sideways');
    if (frame.top < 0 || frame.bottom > window.innerHeight) parts.push('the dialog is too high');
    return parts;
  });
  expect(sticking).toEqual([]);
  for (const button of await dialog.locator('button, a').all()) {
    await button.scrollIntoViewIfNeeded();
    const isOnTop = await button.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      return element.contains(hit);
    });
    expect(isOnTop, await button.innerText()).toBe(true);
  }
}

test.use({ viewport: { width: 390, height: 560 } });

for (const [what, piece] of Object.entries(pieces)) {
  test(`at 390 px every page and dialog holds the longest names of ${what}`, async ({
    page,
    api,
    group,
  }) => {
    test.setTimeout(120_000);
    const [owner, other] = [nameOf(piece, 255), nameOf(piece, 255, 'other')];
    const resource = (name: string) => nameOf(piece, 512, `${group}/${name}`);

    const live = resource('live');
    await api.acquire(live, { owner, ttlMs: 600_000 });
    await api.renew(live, { owner, ttlMs: 600_000 });
    await openLock(page, live);
    await expectFits(page);
    await page.getByRole('button', { name: 'Ask holder to release…' }).click();
    const ask = page.getByRole('dialog', { name: 'Ask the holder to release' });
    await ask.getByLabel('Reason').fill(reason);
    await expectFits(page, ask);
    await ask.getByRole('button', { name: 'Ask', exact: true }).click();
    await expect(page.getByText(/asked the holder at/)).toBeVisible();
    await expectFits(page);

    await page.getByRole('button', { name: 'Force-release…' }).click();
    const force = page.getByRole('alertdialog');
    // Its buttons have the focus, but what is about to be done is read first, and which lock it is about in full.
    await expect(force.getByRole('button', { name: 'Keep the lock' })).toBeFocused();
    await expect(force.getByText(live)).toBeInViewport({ ratio: 1 });
    await expectFits(page, force);
    // Shorter than what is left of the lease, which it says with the owner's name.
    await force.getByLabel('How long the lock stays closed').selectOption('60');
    await expectFits(page, force);
    await api.release(live, owner);
    await api.acquire(live, { owner: other, ttlMs: 600_000 });
    await expect(force.getByRole('alert')).toContainText('holds it now');
    await expectFits(page, force);
    await force.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Force-release…' }).click();
    await force.getByLabel('Reason').fill(reason);
    await force.getByLabel(/^Type/).fill(await force.locator('label strong').innerText());
    await force.getByRole('button', { name: 'Force-release' }).click();
    const toast = page.getByRole('dialog').filter({ hasText: 'Released. Closed until' });
    await expectFits(page, toast);
    await toast.getByLabel('Dismiss').click();
    await page.getByRole('button', { name: 'Reopen…' }).click();
    await expectFits(page, page.getByRole('dialog', { name: 'Reopen this lock' }));

    await openLock(page, resource('free'));
    await page.getByRole('button', { name: 'Hold for maintenance…' }).click();
    const hold = page.getByRole('dialog', { name: 'Hold for maintenance' });
    await expectFits(page, hold);
    await hold.getByLabel('Reason').fill(reason);
    await api.acquire(resource('free'), { owner, ttlMs: 600_000 });
    await hold.getByRole('button', { name: 'Hold', exact: true }).click();
    await expect(hold.getByText(/Nothing was held/)).toBeVisible();
    await expectFits(page, hold);

    const old = resource('old');
    await api.acquire(old, { owner, ttlMs: soonOver });
    await openLock(page, old);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    const clear = page.getByRole('dialog', { name: 'Clear this expired lock?' });
    await expectFits(page, clear);
    await clear.getByRole('button', { name: '+ Add a reason' }).click();
    await expectFits(page, clear);

    await openList(page, `${group}/old`, `&owner=${encodeURIComponent(owner)}`);
    await expect(stateOf(rowOf(page, old))).toHaveText('Expired');
    await expectFits(page);
    await rowOf(page, old).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Clear selected…' }).click();
    const bulk = page.getByRole('dialog', { name: 'Clear 1 expired lock?' });
    await expectFits(page, bulk);
    await api.acquire(old, { owner: other, ttlMs: 600_000 });
    await bulk.getByRole('button', { name: 'Clear', exact: true }).click();
    await expectFits(page, page.getByRole('dialog', { name: 'Cleared' }));
  });
}
