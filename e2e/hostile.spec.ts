import { hostileTexts } from './support/hostile';
import { expectFits, foreign, textsIn, watch } from './support/hostile-page';
import { expect, openList, test } from './support/test';

const widths = [1440, 390] as const;
const inFiles = 4;
const perFile = Math.ceil(hostileTexts.length / inFiles);
test('there are more than a hundred hostile texts, no two alike', () => {
  expect(hostileTexts.length).toBeGreaterThan(100);
  expect(new Set(hostileTexts.map((text) => text.normalize('NFC'))).size).toBe(hostileTexts.length);
});

for (let file = 0; file < inFiles; file += 1) {
  const texts = hostileTexts.slice(file * perFile, (file + 1) * perFile);
  test(`hostile texts are text on the page of their lock and over it: ${file + 1} of ${inFiles}`, async ({
    page,
    api,
    group,
  }) => {
    test.setTimeout(300_000);
    const happened = await watch(page);
    for (const text of texts) {
      const [name, reason] = [text.normalize('NFC'), `why: ${text}`];
      const resource = `${group}/${name}`;
      const metadata = { link: text, note: text };
      const lock = await api.acquire(resource, { owner: text, ttlMs: 900_000, metadata });
      await api.askRelease(lock, reason);
      await page.setViewportSize({ width: widths[0], height: 900 });
      await page.goto(`/locks/${encodeURIComponent(resource)}`);
      await expect(page.locator('[data-event="release_requested"]')).toBeVisible();
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        await expectFits(page, `${text} at ${width}`);
      }
      expect(await page.locator('h1 bdi').textContent()).toBe(resource);
      // The page is live: its parts are read anew when an event arrives.
      await expect(async () => {
        const seen = await textsIn(page, 'main');
        // The owner in the facts and twice in the history, and the two values of the metadata.
        expect(seen.filter((one) => one === name).length).toBeGreaterThanOrEqual(3);
        expect(seen.filter((one) => one === text).length).toBeGreaterThanOrEqual(2);
        expect(seen.filter((one) => one === reason)).toHaveLength(2);
      }).toPass({ timeout: 15_000 });
      expect(await page.locator(`main :is(${foreign})`).count()).toBe(0);
      const protocols = await page
        .locator('main a')
        .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).protocol));
      expect(protocols.filter((protocol) => !/^https?:$/.test(protocol))).toEqual([]);

      await page.getByRole('button', { name: 'Force-release…' }).click();
      const inDialog = await textsIn(page, '[role=alertdialog]');
      expect(inDialog).toContain(resource);
      expect(inDialog).toContain(name);
      expect(await page.locator(`[role=alertdialog] :is(${foreign})`).count()).toBe(0);
      await expectFits(page, `the dialog of ${text}`);
      expect(await happened(), text).toEqual([]);
    }
  });
}

for (const width of widths) {
  test(`hostile texts are text in the list, and no row is wider than ${width} px`, async ({
    page,
    api,
    group,
  }) => {
    test.setTimeout(180_000);
    const happened = await watch(page);
    const names = new Map(hostileTexts.map((text) => [`${group}/${text.normalize('NFC')}`, text]));
    for (const [resource, owner] of names) await api.acquire(resource, { owner, ttlMs: 900_000 });
    await page.setViewportSize({ width, height: 900 });
    await openList(page, `${group}/`, '&sort=resource');
    const seen = new Map<string, string>();
    // The rows are drawn as one comes to them.
    for (let screens = 0; screens < 60 && seen.size < names.size; screens += 1) {
      const rows = await page.locator('tr[data-resource]').evaluateAll((all) =>
        all.map((row) => ({
          resource: row.getAttribute('data-resource') ?? '',
          cells: [...row.querySelectorAll('bdi')].map((cell) => cell.textContent),
        })),
      );
      for (const { resource, cells } of rows) {
        expect(cells[0]).toBe(resource);
        seen.set(resource, cells[1] ?? '');
      }
      await expectFits(page, `the list at ${width}`);
      await page.mouse.move(width / 2, 600);
      await page.mouse.wheel(0, 600);
      await expect
        .poll(() => page.evaluate(() => document.querySelectorAll('tr[data-resource]').length > 0))
        .toBe(true);
    }
    expect([...names.keys()].filter((resource) => !seen.has(resource))).toEqual([]);
    for (const [resource, owner] of names) expect(seen.get(resource)).toBe(owner.normalize('NFC'));
    expect(await page.locator(`main :is(${foreign})`).count()).toBe(0);
    expect(await happened()).toEqual([]);
  });
}
