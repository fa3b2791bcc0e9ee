import { keysAnswer, newKeyAnswer, memberLinkAnswer } from '@/lib/contract/access-answers';

import type { Cookie } from './callers';

/** What an admin does without the dashboard: for what a journey needs and is not about. */
export class AdminApi {
  constructor(
    readonly baseUrl: string,
    private readonly session: Cookie,
  ) {}

  async newKey(wanted: {
    readonly name: string;
    readonly client?: string;
    readonly scopes?: readonly string[];
    readonly patterns?: readonly string[];
    readonly expires_at?: string;
  }) {
    const body = { client: wanted.name, scopes: ['acquire'], patterns: ['*'], ...wanted };
    return newKeyAnswer.parse(await this.send('POST', '/api/keys', body));
  }

  async keys() {
    return keysAnswer.parse(await this.send('GET', '/api/keys')).keys;
  }

  async revoke(id: string): Promise<void> {
    await this.send('DELETE', `/api/keys/${id}`);
  }

  async invite(email: string, role: string) {
    return memberLinkAnswer.parse(await this.send('POST', '/api/members', { email, role }));
  }

  /** Adds somebody who can sign in. */
  async addMember(email: string, role: string, password: string): Promise<{ id: string }> {
    const { link, member } = await this.invite(email, role);
    await redeem(this.baseUrl, link, password);
    return member;
  }

  async remove(id: string): Promise<void> {
    await this.send('DELETE', `/api/members/${id}`);
  }

  async signOut(): Promise<void> {
    await this.send('POST', '/api/auth/sign-out', {});
  }

  private async send(method: string, path: string, body?: unknown): Promise<unknown> {
    const { name, value } = this.session;
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        cookie: `${name}=${value}`,
        origin: new URL(this.baseUrl).origin,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  }
}

/** Opens a one-time link as the person whom it was handed to. */
export async function redeem(baseUrl: string, link: string, password: string): Promise<void> {
  const token = new URL(link).hash.slice(1);
  const response = await fetch(`${baseUrl}/api/set-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password }),
  });
  if (!response.ok) throw new Error(`The link answered ${response.status}.`);
}

/** The status that a call with this secret is answered with. */
export async function statusOf(
  baseUrl: string,
  secret: string,
  path: string,
  init: RequestInit = {},
): Promise<number> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  return (await fetch(baseUrl + path, { ...init, headers })).status;
}
