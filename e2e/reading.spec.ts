import { soonOver } from './support/api';
import { expectNoViolations } from './support/axe';
import { expectNoOverflow, setTheme } from './support/looks';
import { expect, openList, openLock, rowOf, test } from './support/test';

for (const theme of ['light', 'dark'] as const) {
  test(`both pages and their dialogs pass axe in ${theme}`, async ({ page, api, group }) => {
    const live = await api.acquire(`${group}/live`, { owner: 'worker-1', ttlMs: 300_000 });
    await api.acquire(`${group}/old`, { owner: 'worker-2', ttlMs: soonOver });
    await setTheme(page, theme);
    await openList(page, group);
    await expect(rowOf(page, live.resource)).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    await expectNoViolations(page);

    await rowOf(page, `${group}/old`).hover();
    await rowOf(page, `${group}/old`).getByRole('button', { name: 'Clear ' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await expectNoViolations(page);
    await page.keyboard.press('Escape');

    await openLock(page, live.resource);
    await expect(page.getByRole('heading', { name: 'History' })).toBeVisible();
    await expectNoViolations(page);
    await page.getByRole('button', { name: 'Force-release…' }).click();
    await expect(page.getByRole('alertdialog')).toBeVisible();
    await expectNoViolations(page);
  });
}

test.describe('on a small screen', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test('a lock is two lines, nothing is cut off sideways, and it can be released', async ({
    page,
    api,
    group,
  }) => {
    const resource = `${group}/${'long-'.repeat(40)}end`;
    await api.acquire(resource, { owner: 'w'.repeat(200), ttlMs: 300_000 });
    await openList(page, group);
    await expect(rowOf(page, resource)).toBeVisible();
    await expectNoOverflow(page);
    await expectNoViolations(page);

    await rowOf(page, resource).getByRole('link').click();
    await page.getByRole('button', { name: 'Force-release…' }).click();
    const dialog = page.getByRole('alertdialog');
    await expectNoOverflow(page);
    const word = await dialog.locator('label strong').innerText();
    expect(word.length).toBeLessThanOrEqual(24);
    await dialog.getByLabel('Reason').fill('from a telephone');
    await dialog.getByLabel(/^Type/).fill(word);
    await dialog.getByRole('button', { name: 'Force-release' }).click();
    await expect(page.getByText('Released. Closed until')).toBeVisible();
  });
});

test('the language is chosen by the browser at first and by the switch from then on', async ({
  page,
  group,
}) => {
  await openList(page, group);
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await page.getByRole('button', { name: '日本語' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'ja');
  await expect(page.getByRole('button', { name: '保持中 0' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: '保持中 0' })).toBeVisible();
});

test('pages carry a policy that lets nothing in from outside', async ({ request }) => {
  const headers = (await request.get('/locks')).headers();
  const policy = headers['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/https?:|\*/);
  expect(policy).not.toContain('unsafe');
  const nonceOf = (text: string) => /'nonce-([\w=+/-]+)'/.exec(text)?.[1] ?? '';
  const again = (await request.get('/locks')).headers()['content-security-policy'] ?? '';
  expect(nonceOf(policy)).toMatch(/.{20}/);
  expect(nonceOf(again)).not.toBe(nonceOf(policy));
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['x-powered-by']).toBeUndefined();
});
