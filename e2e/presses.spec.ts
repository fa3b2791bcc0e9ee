import type { Locator, Page } from '@playwright/test';

import { soonOver, type Api } from './support/api';
import { expect, openList, openLock, rowOf, stateOf, test } from './support/test';

interface Question {
  readonly what: string;
  /** Makes the lock that it is about, and leads to where it is asked from. */
  readonly arrive: (page: Page, api: Api, resource: string) => Promise<void>;
  readonly opener: (page: Page) => Locator;
  readonly dialog: (page: Page) => Locator;
  /** Fills in what is asked for, and gives the button that sends it. */
  readonly answer: (dialog: Locator) => Promise<Locator>;
  /** The end of the path that it is sent to. */
  readonly path: string;
}

async function arriveAtLive(page: Page, api: Api, resource: string) {
  await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
  await openLock(page, resource);
}

async function arriveAtExpired(page: Page, api: Api, resource: string) {
  await api.acquire(resource, { owner: 'worker-1', ttlMs: soonOver });
  await openList(page, resource);
  await expect(stateOf(rowOf(page, resource))).toHaveText('Expired');
  await rowOf(page, resource).hover();
}

function withReason(name: string) {
  return async (dialog: Locator) => {
    await dialog.getByLabel('Reason').fill('INC-2291');
    return dialog.getByRole('button', { name, exact: true });
  };
}

const questions: readonly Question[] = [
  {
    what: 'force-release',
    arrive: arriveAtLive,
    opener: (page) => page.getByRole('button', { name: 'Force-release…' }),
    dialog: (page) => page.getByRole('alertdialog'),
    async answer(dialog) {
      await dialog.getByLabel(/^Type/).fill('lock');
      return withReason('Force-release')(dialog);
    },
    path: '/force-release',
  },
  {
    what: 'ask',
    arrive: arriveAtLive,
    opener: (page) => page.getByRole('button', { name: 'Ask holder to release…' }),
    dialog: (page) => page.getByRole('dialog', { name: 'Ask the holder to release' }),
    answer: withReason('Ask'),
    path: '/ask-release',
  },
  {
    what: 'hold',
    arrive: (page, _, resource) => openLock(page, resource),
    opener: (page) => page.getByRole('button', { name: 'Hold for maintenance…' }),
    dialog: (page) => page.getByRole('dialog', { name: 'Hold for maintenance' }),
    answer: withReason('Hold'),
    path: '/hold',
  },
  {
    what: 'reopen',
    async arrive(page, api, resource) {
      await api.hold(resource, { reason: 'disk swap', ttlMs: 300_000 });
      await openLock(page, resource);
    },
    opener: (page) => page.getByRole('button', { name: 'Reopen…' }),
    dialog: (page) => page.getByRole('dialog', { name: 'Reopen this lock' }),
    answer: withReason('Reopen'),
    path: '/force-release',
  },
  {
    what: 'clear',
    arrive: arriveAtExpired,
    opener: (page) => page.getByRole('button', { name: /^Clear ⁨/ }),
    dialog: (page) => page.getByRole('dialog', { name: 'Clear this expired lock?' }),
    answer: (dialog) => Promise.resolve(dialog.getByRole('button', { name: 'Clear' })),
    path: '/force-release',
  },
  {
    what: 'bulk clear',
    async arrive(page, api, resource) {
      await arriveAtExpired(page, api, resource);
      await rowOf(page, resource).getByRole('checkbox').check();
    },
    opener: (page) => page.getByRole('button', { name: 'Clear selected…' }),
    dialog: (page) => page.getByRole('dialog', { name: 'Clear 1 expired lock?' }),
    answer: (dialog) => Promise.resolve(dialog.getByRole('button', { name: 'Clear' })),
    path: '/api/force-release',
  },
];

for (const { what, arrive, opener, dialog, answer, path } of questions) {
  test(`a double click on its opener leaves the ${what} question open`, async ({
    page,
    api,
    group,
  }) => {
    await arrive(page, api, `${group}/lock`);
    await opener(page).dblclick();
    await expect(await answer(dialog(page))).toBeEnabled();
    // A click beside it that is one by itself still leaves it.
    await page.mouse.click(2, 300);
    await expect(dialog(page)).toHaveCount(0);
  });

  test(`two presses at once send one ${what} call`, async ({ page, api, group }) => {
    const resource = `${group}/lock`;
    await arrive(page, api, resource);
    await opener(page).click();
    const button = await answer(dialog(page));
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith(path)) sent.push(request.url());
    });
    const before = await api.kinds(resource);
    await button.evaluate((pressed: HTMLElement) => {
      pressed.click();
      pressed.click();
    });
    await expect.poll(() => api.kinds(resource)).not.toEqual(before);
    await expect(dialog(page)).toHaveCount(0);
    expect(sent).toHaveLength(1);
    await expect(page.getByRole('alert').filter({ hasText: /./ })).toHaveCount(0);
  });
}

test('the second click of a double click does not press what has come to lie under it', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/lock`;
  await arriveAtExpired(page, api, resource);
  await rowOf(page, resource).getByRole('checkbox').check();
  const opener = page.getByRole('button', { name: 'Clear selected…' });
  const dialog = page.getByRole('dialog', { name: 'Clear 1 expired lock?' });
  // A window just so high that the dialog's button is laid over the one that opened it.
  await page.setViewportSize({ width: 700, height: 900 });
  await opener.click();
  const { height } = await boxOf(dialog);
  await page.setViewportSize({ width: 700, height: Math.ceil(height) + 32 });
  const above = await boxOf(dialog.getByRole('button', { name: 'Clear' }));
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  const below = await boxOf(opener);
  const x = above.x + above.width / 2;
  const y = (below.y + above.y + above.height) / 2;
  await page.mouse.dblclick(x, y);

  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  expect((await api.inspect(resource))?.state).toBe('expired');
  await page.mouse.click(x, y);
  await expect(page.getByRole('dialog', { name: 'Cleared' })).toBeVisible();
});

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('It is not drawn.');
  return box;
}
