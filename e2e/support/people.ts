import type { Page } from '@playwright/test';

import type { Role } from '@/lib/contract/access';

import { AdminApi } from './access';
import { newGroup } from './api';
import { signIn, type Cookie, type Credentials } from './callers';

export interface Member extends Credentials {
  readonly name: string;
}

/** People of a journey's own: what one does with an account, such as guessing at it, must not reach another journey. */
export class People {
  readonly #admin: AdminApi;

  constructor(admin: AdminApi) {
    this.#admin = admin;
  }

  /** @returns the one-time link that an admin hands over, and the address that it is for. */
  async invite(role: Role): Promise<{ readonly email: string; readonly link: string }> {
    const email = `${newGroup()}@example.com`;
    const { link } = await this.#admin.invite(email, role);
    return { email, link };
  }

  async add(role: Role): Promise<Member> {
    const email = `${newGroup()}@example.com`;
    const password = `${newGroup()} as a password`;
    await this.#admin.addMember(email, role, password);
    return { email, password, name: email.split('@', 1).join() };
  }

  session(member: Credentials): Promise<Cookie> {
    return signIn(this.#admin.baseUrl, member);
  }

  /** What a sign-out elsewhere does, or an admin. */
  end(session: Cookie): Promise<void> {
    return new AdminApi(this.#admin.baseUrl, session).signOut();
  }
}

/** The page's browser becomes the member's, with a session that no other journey has. */
export async function become(page: Page, people: People, member: Credentials): Promise<Cookie> {
  const session = await people.session(member);
  await page.context().clearCookies();
  await page.context().addCookies([session]);
  return session;
}
