import type { Page } from '@playwright/test';

import type { Role } from '@/lib/contract/access';
import { memberLinkAnswer } from '@/lib/contract/access-answers';

import { newGroup } from './api';
import { signIn, type Cookie, type Credentials } from './callers';

export interface Member extends Credentials {
  readonly name: string;
}

/** People of a journey's own: what one does with an account, such as guessing at it, must not reach another journey. */
export class People {
  readonly #baseUrl: string;
  readonly #admin: Cookie;

  constructor(baseUrl: string, admin: Cookie) {
    this.#baseUrl = baseUrl;
    this.#admin = admin;
  }

  /** @returns the one-time link that an admin hands over, and the address that it is for. */
  async invite(role: Role): Promise<{ readonly email: string; readonly link: string }> {
    const email = `${newGroup()}@example.com`;
    const answer = await this.#post('/api/members', { email, role });
    return { email, link: memberLinkAnswer.parse(await answer.json()).link };
  }

  async add(role: Role): Promise<Member> {
    const { email, link } = await this.invite(role);
    const password = `${newGroup()} as a password`;
    await this.#post('/api/set-up', { token: new URL(link).hash.slice(1), password });
    return { email, password, name: email.split('@', 1).join() };
  }

  session(member: Credentials): Promise<Cookie> {
    return signIn(this.#baseUrl, member);
  }

  /** What a sign-out elsewhere does, or an admin. */
  async end(session: Cookie): Promise<void> {
    await this.#post('/api/auth/sign-out', {}, session);
  }

  async #post(path: string, body: unknown, cookie = this.#admin): Promise<Response> {
    const answer = await fetch(`${this.#baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: new URL(this.#baseUrl).origin,
        cookie: `${cookie.name}=${cookie.value}`,
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  }
}

/** The page's browser becomes the member's, with a session that no other journey has. */
export async function become(page: Page, people: People, member: Credentials): Promise<Cookie> {
  const session = await people.session(member);
  await page.context().clearCookies();
  await page.context().addCookies([session]);
  return session;
}
