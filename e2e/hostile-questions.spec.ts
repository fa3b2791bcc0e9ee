import type { Page } from '@playwright/test';

import { keyNameField } from '@/lib/contract/access-fields';

import type { Api } from './support/api';
import { hostileTexts } from './support/hostile';
import { expectFits, foreign, textsIn, watch } from './support/hostile-page';
import { expect, openLock, test } from './support/test';

/** What operators are asked about a lock, and what they are told when it has changed under the question. */

const inFiles = 4;
const perFile = Math.ceil(hostileTexts.length / inFiles);
const dialog = ':is([role=dialog], [role=alertdialog])';

/** The open question shows these texts as text, and makes nothing else of them. */
async function expectText(page: Page, what: string, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    await expect.poll(() => textsIn(page, dialog), `${what}: ${text}`).toContain(text);
  }
  expect(await page.locator(`${dialog} :is(${foreign})`).count(), what).toBe(0);
  const over = () =>
    page.locator(dialog).evaluate((element) => element.scrollWidth - element.clientWidth);
  await expect.poll(over, what).toBeLessThanOrEqual(0);
  await expectFits(page, what);
}

async function closeWith(page: Page, button: string): Promise<void> {
  await page.locator(dialog).getByRole('button', { name: button, exact: true }).click();
  await expect(page.locator(dialog)).toHaveCount(0);
}

/** Free, then held, then of another holder, each while a question is open. */
async function walkHoldAndForceRelease(page: Page, api: Api, resource: string, owner: string) {
  await openLock(page, resource);
  await page.getByRole('button', { name: 'Hold for maintenance…' }).click();
  await expectText(page, 'hold', [resource]);
  await api.acquire(resource, { owner, ttlMs: 900_000 });
  await page.locator(dialog).getByLabel('Reason').fill(`why: ${owner}`);
  await page.locator(dialog).getByRole('button', { name: 'Hold', exact: true }).click();
  await expectText(page, 'hold, refused', [owner]);
  await closeWith(page, 'Close');

  await page.getByRole('button', { name: 'Force-release…' }).click();
  await expectText(page, 'force-release', [resource, owner]);
  await api.release(resource, owner);
  const next = `${owner} 2`;
  await api.acquire(resource, { owner: next, ttlMs: 900_000 });
  await expectText(page, 'force-release, taken', [owner, next]);
  await closeWith(page, 'Close');
  await api.release(resource, next);
}

async function walkReopen(page: Page, api: Api, resource: string, reason: string) {
  await api.hold(resource, { reason, ttlMs: 900_000 });
  await page.getByRole('button', { name: 'Reopen…' }).click();
  await expectText(page, 'reopen', [resource, reason]);
  await page.keyboard.press('Escape');
  await expect(page.locator(dialog)).toHaveCount(0);
}

for (let file = 0; file < inFiles; file += 1) {
  const texts = hostileTexts.slice(file * perFile, (file + 1) * perFile);
  test(`hostile texts are text in what is asked of a lock and in what came in between: ${file + 1} of ${inFiles}`, async ({
    page,
    api,
    group,
  }) => {
    test.setTimeout(600_000);
    const happened = await watch(page);
    await page.setViewportSize({ width: 390, height: 900 });
    for (const text of texts) {
      const name = text.normalize('NFC');
      const owner = cut(name, 250);
      const resource = `${group}/${name}`;
      await walkHoldAndForceRelease(page, api, resource, owner);
      await walkReopen(page, api, resource, `why: ${text}`);
      expect(await happened(), text).toEqual([]);
    }
  });
}

test('hostile texts are text in what is told after a force-release', async ({
  page,
  api,
  group,
}) => {
  test.setTimeout(300_000);
  const happened = await watch(page);
  // One of each kind; the list of kinds is what the other tests walk.
  const texts = hostileTexts.filter((_, index) => index % 8 === 0);
  for (const text of texts) {
    const name = text.normalize('NFC');
    const resource = `${group}/${name}`;
    await api.acquire(resource, { owner: name, ttlMs: 900_000 });
    await openLock(page, resource);
    await page.getByRole('button', { name: 'Force-release…' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByLabel('Reason').fill(`why: ${text}`);
    await question.getByLabel(/^Type/).fill(await question.locator('label strong').innerText());
    await question.getByRole('button', { name: 'Force-release', exact: true }).click();
    await expect(question).toHaveCount(0);
    await expect(page.getByText('has not noticed yet')).toBeVisible();
    const toast = '[aria-label="Messages"]';
    expect(await textsIn(page, toast), text).toEqual([resource, name]);
    expect(await page.locator(`${toast} :is(${foreign})`).count()).toBe(0);
    await expectFits(page, `the toast of ${text}`);
    expect(await happened(), text).toEqual([]);
  }
});

test('hostile names of who held and who closed are text', async ({ page, api, admin, group }) => {
  test.setTimeout(300_000);
  const happened = await watch(page);
  for (const text of hostileTexts.filter((_, index) => index % 8 === 0)) {
    const name = `${group} ${cut(text.normalize('NFC'), 70)}`;
    if (!keyNameField.safeParse(name).success) continue;
    const made = await admin.newKey({ name, client: group, scopes: ['operate'] });
    const resource = `${group}/${made.key.id}`;
    await api.hold(resource, { reason: `why: ${text}`, ttlMs: 900_000 }, made.secret);
    await openLock(page, resource);
    await page.getByRole('button', { name: 'Reopen…' }).click();
    await expectText(page, 'reopen', [made.key.name]);
    expect(await textsIn(page, 'main')).toContain(made.key.name);
    expect(await page.locator(`main :is(${foreign})`).count()).toBe(0);
  }
  expect(await happened()).toEqual([]);
});

/** At most so many bytes of it: an owner's name is shorter than a resource's. */
function cut(text: string, bytesMax: number): string {
  const characters = Array.from(text);
  while (Buffer.byteLength(characters.join('')) > bytesMax) characters.pop();
  return characters.join('').trim();
}
