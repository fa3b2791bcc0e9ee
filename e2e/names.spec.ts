import { expect, historyOf, openList, openLock, rowOf, test } from './support/test';

const awkwardNames = [
  'a/b',
  'q?x=1&y=2',
  'device-#05',
  '100%',
  '%2F',
  'emoji 🔒🚀',
  'invoice-\u202Efdp.exe',
  'x'.repeat(480),
];

for (const name of awkwardNames) {
  test(`the lock ${JSON.stringify(name.slice(0, 24))} is found, opened and released, and no other`, async ({
    page,
    api,
    group,
  }) => {
    const resource = `${group}-${name}`;
    await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
    const other = await api.acquire(`${group}-a`, { owner: 'worker-2', ttlMs: 300_000 });
    await openList(page, group);
    await rowOf(page, resource).getByRole('link').click();
    await page.waitForURL(`**/locks/${encodeURIComponent(resource)}`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(resource);

    await page.reload();
    await expect(page.getByRole('heading', { level: 1 })).toContainText(resource);
    await page.getByRole('button', { name: 'Force-release…' }).click();
    const dialog = page.getByRole('alertdialog');
    const word = await dialog.locator('label strong').innerText();
    await dialog.getByLabel('Reason').fill('an awkward name');
    await dialog.getByLabel(/^Type/).fill(word);
    await dialog.getByLabel('How long the lock stays closed').selectOption('0');
    await dialog.getByRole('button', { name: 'Force-release' }).click();

    await expect(historyOf(page, 'force_released')).toBeVisible();
    expect(await api.inspect(resource)).toBeNull();
    expect((await api.inspect(other.resource))?.fencing_token).toBe(other.fencing_token);
  });
}

test('markup in names, owners and metadata is shown as text', async ({ page, api, group }) => {
  const resource = `${group}/<img src=x onerror="document.title='owned'">`;
  const owner = `"><script>document.title='owned'</script>`;
  await api.acquire(resource, { owner, ttlMs: 300_000 });
  await openList(page, group);
  await expect(rowOf(page, resource)).toContainText(owner);
  await expect(page.locator('main img')).toHaveCount(0);

  await openLock(page, resource);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(resource);
  await expect(page.locator('main img, main script')).toHaveCount(0);
  expect(await page.title()).not.toBe('owned');
});

test('a name that nobody has used has a page that says so', async ({ page, group }) => {
  await openLock(page, `${group}/never`);
  await expect(page.getByText('No lock by this name now.')).toBeVisible();
  await expect(page.getByText('Nothing has happened by this name.')).toBeVisible();
});

test('a control character of direction is marked, and does not turn what stands around it', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/invoice-\u202Efdp.exe`;
  await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
  await openList(page, group);
  const row = rowOf(page, resource);
  await expect(row.getByTitle('contains characters that are not visible: U+202E')).toBeVisible();
  const [name, owner] = await Promise.all([
    row.getByRole('link').boundingBox(),
    row.getByTitle('worker-1').boundingBox(),
  ]);
  expect(name?.x).toBeLessThan(owner?.x ?? 0);
});

test('a name that is cut is there in full while it has the focus', async ({ page, api, group }) => {
  const long = `${group}/${'part-'.repeat(60)}end`;
  await api.acquire(long, { owner: 'worker-1', ttlMs: 300_000 });
  await api.acquire(`${group}/z`, { owner: 'worker-2', ttlMs: 600_000 });
  await openList(page, group);
  await expect(rowOf(page, `${group}/z`)).toBeVisible();
  const whole = page.locator('a[data-row-link] > bdi[aria-hidden]');

  await page.keyboard.press('j');
  await expect(whole).toBeVisible();
  await expect(whole).toHaveText(long);
  await page.keyboard.press('j');
  await expect(whole).toBeHidden();
});

test('a name that is cut shows how its path begins and how it ends', async ({
  page,
  api,
  group,
}) => {
  const resource = `${group}/${'part-'.repeat(60)}end`;
  await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
  await openList(page, group);
  const widths = await rowOf(page, resource)
    .locator('a[data-row-link] bdi > span')
    .evaluateAll((parts) => parts.map((part) => part.clientWidth));
  expect(widths).toHaveLength(2);
  expect(Math.min(...widths)).toBeGreaterThan(50);
});

test('at 1280 px a name of forty characters stands in full beside all that is said of its lock', async ({
  page,
  api,
  group,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const resource = `${group}/`.padEnd(29, 'settlement-') + '/2026-11-30';
  await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
  await openList(page, group);
  const row = rowOf(page, resource);
  const cut = row
    .locator('a[data-row-link] bdi > span')
    .evaluateAll((parts) =>
      parts.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(String),
    );
  expect(await cut).toEqual([]);

  // What comes to the right end under the pointer hides no time.
  await row.hover();
  const [end, left] = await Promise.all([
    row.getByRole('button', { name: 'Force-release' }).boundingBox(),
    row.getByText(/^\d min/).boundingBox(),
  ]);
  expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual(end?.x ?? 0);
});
