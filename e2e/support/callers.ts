import type { BrowserContext } from '@playwright/test';

/** Who the journeys are: a service with a key, and an admin in the browser. */

export const e2eKey = process.env['HOLDFAST_API_KEY'] ?? 'a-key-of-the-journeys-in-the-browser';
export const e2eAdmin = {
  email: process.env['HOLDFAST_ADMIN_EMAIL'] ?? 'mia@example.com',
  password: process.env['HOLDFAST_ADMIN_PASSWORD'] ?? 'correct horse battery staple',
};

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export type Cookie = Parameters<BrowserContext['addCookies']>[0][number];

/** The session's cookie, as the sign-in sets it. */
export async function signIn(
  baseUrl: string,
  credentials: Credentials = e2eAdmin,
): Promise<Cookie> {
  const response = await fetch(`${baseUrl}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(baseUrl).origin },
    body: JSON.stringify(credentials),
  });
  const [name, value] = (response.headers.getSetCookie()[0] ?? '').split(';', 1).join().split('=');
  if (!response.ok || name === undefined || value === undefined) {
    throw new Error(`Signing in answered ${response.status}: ${await response.text()}`);
  }
  return { name, value, url: baseUrl, httpOnly: true, sameSite: 'Lax' };
}
