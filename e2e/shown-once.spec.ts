import type { Locator, Page } from '@playwright/test';

import type { AdminApi } from './support/access';
import { expect, test } from './support/test';

/** What is shown once and never again: whatever is pressed while it is being made, it is shown. */

interface Making {
  readonly what: string;
  /** Leads to where it is asked for, with everything filled in. */
  readonly arrive: (page: Page, admin: AdminApi, group: string) => Promise<void>;
  readonly question: (page: Page) => Locator;
  readonly button: string;
  /** The dialog that shows it, and what in it is the secret. */
  readonly shown: { readonly title: string; readonly secret: string; readonly copy: string };
  readonly path: RegExp;
}

async function open(page: Page, path: string) {
  await page.goto(path);
  await expect(page.locator('[data-liveness="live"]')).toBeVisible();
}

const link = { title: 'One-time link', secret: 'Link', copy: 'Copy the link' };

const makings: readonly Making[] = [
  {
    what: 'the secret of a new key',
    async arrive(page, _, group) {
      await open(page, '/keys');
      await page.getByRole('button', { name: 'New key…' }).click();
      await page.getByLabel('Name').fill(group);
      await page.getByLabel(/^Resources/).fill(`${group}/*`);
    },
    question: (page) => page.getByRole('dialog', { name: 'New API key' }),
    button: 'Create key',
    shown: { title: 'Key made', secret: 'Secret', copy: 'Copy the secret' },
    path: /\/api\/keys$/,
  },
  {
    what: 'the new secret of a rotated key',
    async arrive(page, admin, group) {
      await admin.newKey({ name: group });
      await open(page, `/keys?q=${group}`);
      await page.getByRole('button', { name: /^Rotate/ }).click();
    },
    question: (page) => page.getByRole('dialog', { name: 'Rotate this key' }),
    button: 'Rotate',
    shown: { title: 'Key rotated', secret: 'Secret', copy: 'Copy the secret' },
    path: /\/api\/keys\/[^/]+\/rotate$/,
  },
  {
    what: 'the link of a new member',
    async arrive(page, _, group) {
      await open(page, '/settings/members');
      await page.getByRole('button', { name: 'Invite…' }).click();
      await page.getByLabel('E-mail address').fill(`${group}@example.com`);
    },
    question: (page) => page.getByRole('dialog', { name: 'Invite a person' }),
    button: 'Invite',
    shown: link,
    path: /\/api\/members$/,
  },
  {
    what: 'the new link of a member',
    async arrive(page, admin, group) {
      await admin.invite(`${group}@example.com`, 'viewer');
      await open(page, '/settings/members');
      await page
        .locator(`[data-member="${group}@example.com"]`)
        .getByRole('button', { name: /^Make a new link/ })
        .click();
    },
    question: (page) => page.getByRole('alertdialog', { name: 'Make a new link' }),
    button: 'Make link',
    shown: link,
    path: /\/api\/members\/[^/]+\/link$/,
  },
];

for (const { what, arrive, question, button, shown, path } of makings) {
  test(`nothing closes the dialog that waits for ${what}`, async ({ page, admin, group }) => {
    await arrive(page, admin, group);
    const answers = await held(page, path);
    const send = question(page).getByRole('button', { name: button, exact: true });
    // Before the page had a chance to be drawn anew, and then again and again.
    await send.evaluate((pressed: HTMLElement) => {
      pressed.click();
      const escape = { key: 'Escape', bubbles: true, cancelable: true };
      (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', escape));
    });
    await answers.asked;
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.mouse.click(2, 300);
    await expect(question(page)).toBeVisible();
    await expect(question(page).getByRole('button', { name: 'Cancel' })).toBeDisabled();
    answers.goOn();

    const dialog = page.getByRole('dialog', { name: shown.title });
    const secret = dialog.getByRole('group', { name: shown.secret, exact: true });
    await expect(secret).toHaveText(/\S{30}/);
    // It stays until it was copied or given up.
    await page.keyboard.press('Escape');
    await expect(dialog.getByRole('alert')).toContainText('Not copied yet.');
    await expect(secret).toBeVisible();
    await dialog.getByRole('button', { name: shown.copy }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expect(dialog).toHaveCount(0);
  });

  test(`the page asks before it is left while ${what} is on its way`, async ({
    page,
    admin,
    group,
  }) => {
    await arrive(page, admin, group);
    const answers = await held(page, path);
    await question(page).getByRole('button', { name: button, exact: true }).click();
    await answers.asked;
    expect(await isLeaving(page)).toBe(false);
    answers.goOn();
    const dialog = page.getByRole('dialog', { name: shown.title });
    await expect(dialog).toBeVisible();
    expect(await isLeaving(page)).toBe(false);
    await dialog.getByRole('button', { name: shown.copy }).click();
    await expect.poll(() => isLeaving(page)).toBe(true);
  });
}

/** Holds back the answers of a path until told to go on. */
async function held(page: Page, path: RegExp) {
  let goOn = () => {};
  let isAsked = () => {};
  const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  await page.route(path, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const response = await route.fetch();
    isAsked();
    await mayGoOn;
    await route.fulfill({ response });
  });
  return { asked, goOn: () => goOn() };
}

/** Whether the browser would leave the page without a question. */
function isLeaving(page: Page): Promise<boolean> {
  return page.evaluate(() => window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
}
