import { e2eAdmin } from './support/callers';
import { expect, openList, openLock, rowOf, test } from './support/test';

/** Reads the address that is asked for instead of following it: no journey leaves this machine. */
const foreign = ['//evil.example/x', '/\\evil.example', '/.//evil.example', 'javascript:alert(1)'];

test.describe('without a session', () => {
  test.beforeEach(({ context }) => context.clearCookies());

  test('a page leads to the sign-in and from there back to itself', async ({
    page,
    api,
    people,
    group,
  }) => {
    const member = await people.add('viewer');
    const resource = `${group}/a&b#c`;
    await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
    const asked = `/locks/${encodeURIComponent(resource)}`;
    await page.goto(asked);
    await page.waitForURL((url) => url.pathname === '/sign-in');
    await page.getByLabel('E-mail').fill(member.email);
    await page.getByLabel('Password', { exact: true }).fill(member.password);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === asked);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(resource);
  });

  test('a wrong password is said, and what was typed stays', async ({ page, people }) => {
    const member = await people.add('viewer');
    await page.goto('/sign-in');
    await page.getByLabel('E-mail').fill(member.email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'wrong' })).toBeVisible();
    await expect(page.getByLabel('E-mail')).toHaveValue(member.email);
    await expect(page.getByLabel('Password', { exact: true })).toHaveValue('not the password');
    expect(page.url()).not.toContain('password');
    await page.getByLabel('Password', { exact: true }).fill(member.password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/locks');
  });

  test('after too many attempts the wait is said, and the right password waits too', async ({
    page,
    people,
  }) => {
    const { email, password } = await people.add('viewer');
    await page.goto('/sign-in');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('a guess');
    const alert = page.getByRole('alert').filter({ hasText: /wrong|Too many/ });
    const answered = () => page.waitForResponse('**/api/auth/sign-in/email');
    for (let guess = 0; guess < 11; guess += 1) {
      const answer = answered();
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await answer;
      await expect(alert).toBeVisible();
    }
    await expect(alert).toHaveText(/Too many attempts\. Try again in (30|[12]?\d) s\./);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await expect(alert).toHaveText(/Too many attempts/);
    expect(new URL(page.url()).pathname).toBe('/sign-in');
  });

  for (const [error, told] of [
    ['no_role', 'it gives you no role here. Ask whoever manages it.'],
    ['account_not_linked', 'this address belongs to a member who signs in with a password.'],
    ['unavailable', 'it can’t be reached. Try again, or sign in with a password.'],
    ['<b>state_mismatch</b>', 'try again, or ask an admin.'],
  ] as const) {
    test(`who comes back from the other provider in vain is told why: ${error}`, async ({
      page,
    }) => {
      await page.goto(`/sign-in?error=${encodeURIComponent(error)}`);
      const alert = page.locator('main [role=alert]');
      await expect(alert).toHaveText(`The sign-in at your organisation did not work: ${told}`);
    });
  }

  for (const to of foreign) {
    test(`no address leads away from the service: ${to}`, async ({ page, people, baseURL }) => {
      const member = await people.add('viewer');
      await page.goto(`/sign-in?to=${encodeURIComponent(to)}`);
      await page.getByLabel('E-mail').fill(member.email);
      await page.getByLabel('Password', { exact: true }).fill(member.password);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${baseURL ?? ''}/locks`);
    });
  }

  test('the link of an invitation sets the password, once, and opens the dashboard', async ({
    page,
    people,
  }) => {
    const { email, link } = await people.invite('operator');
    await page.goto(link);
    await expect(page.getByText(`For ${email}, role operator.`)).toBeVisible();
    await page.getByLabel('New password').fill('too short');
    await page.keyboard.press('Enter');
    await expect(page.getByText('At least 12 characters; these are 9.')).toBeVisible();
    await page.getByLabel('New password').fill('long enough by far');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/locks');
    await page.getByRole('button', { name: /^Account of/ }).click();
    await expect(page.getByText(email)).toBeVisible();

    await page.goto('about:blank');
    await page.goto(link);
    await expect(page.getByText('This link was used, has run out, or never was.')).toBeVisible();
  });
});

test('who has signed in goes on from the sign-in', async ({ page }) => {
  await page.goto('/sign-in?to=/locks?state=all');
  await page.waitForURL('**/locks?state=all');
});

test('the bar with its account fits every width, also while the server does not answer', async ({
  page,
}) => {
  const over = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  const widths = [390, 640, 768, 1024, 1280, 1440];
  await page.goto('/locks');
  await expect(page.locator('[data-liveness="live"]')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Account of/ })).toBeVisible();
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(over, `${width} px`).toBeLessThanOrEqual(0);
  }
  await page.route('**/api/**', (route) => route.abort());
  await expect(page.locator('[data-liveness="reconnecting"]')).toBeVisible();
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(over, `${width} px, reconnecting`).toBeLessThanOrEqual(0);
    await expect(page.getByRole('button', { name: /^Account of/ })).toBeInViewport({ ratio: 1 });
  }
});

test('a sign-out ends the session at the server', async ({ page, people }) => {
  const member = await people.add('viewer');
  const cookie = await people.session(member);
  await page.context().clearCookies();
  await page.context().addCookies([cookie]);
  await page.goto('/locks');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await expect(page.getByText(member.email)).toBeVisible();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in');
  const kept = await fetch(new URL('/api/me', page.url()), {
    headers: { cookie: `${cookie.name}=${cookie.value}` },
  });
  expect(kept.status).toBe(401);
  await page.goto('/locks');
  await page.waitForURL((url) => url.pathname === '/sign-in');
});

test('a viewer sees every action and why it is not theirs, and the server refuses them', async ({
  page,
  api,
  people,
  group,
}) => {
  const member = await people.add('viewer');
  const cookie = await people.session(member);
  await page.context().clearCookies();
  await page.context().addCookies([cookie]);
  const resource = `${group}/held`;
  const lock = await api.acquire(resource, { owner: 'worker-1', ttlMs: 300_000 });
  const needs = 'Needs the operator role. Ask an admin';
  await openLock(page, resource);
  for (const name of ['Force-release…', 'Ask holder to release…']) {
    const button = page.getByRole('button', { name });
    await expect(button).toHaveAttribute('aria-disabled', 'true');
    await expect(button).toHaveAttribute('title', new RegExp(`${needs}: .*${e2eAdmin.email}`));
  }
  await expect(page.getByText(needs).first()).toBeVisible();
  await page.keyboard.press('r');
  await expect(page.getByRole('alertdialog')).toHaveCount(0);

  await openList(page, group);
  await rowOf(page, resource).hover();
  // Playwright waits for what is disabled to be enabled; a person presses all the same, and again.
  const end = rowOf(page, resource).getByRole('button', { name: 'Force-release' });
  await end.click({ force: true });
  await end.click({ force: true });
  await expect(page.getByText(needs)).toHaveCount(1);
  await expect(page.getByText(needs)).toBeVisible();
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  for (const name of ['API keys', 'Members']) {
    await expect(page.getByRole('link', { name })).toHaveCount(0);
  }

  const { status } = await page.evaluate(
    async ([path, token]) => {
      const body = JSON.stringify({ reason: 'not mine', fencing_token: Number(token) });
      const headers = { 'content-type': 'application/json' };
      return await fetch(path ?? '', { method: 'POST', headers, body }).then((answer) => ({
        status: answer.status,
      }));
    },
    [`/api/locks/${encodeURIComponent(resource)}/force-release`, String(lock.fencing_token)],
  );
  expect(status).toBe(403);
  expect((await api.inspect(resource))?.fencing_token).toBe(lock.fencing_token);
});
