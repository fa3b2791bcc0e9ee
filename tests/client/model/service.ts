/** What the contract says of leases, in its smallest form: one clock, a row for each resource. */

export interface Row {
  readonly owner: string;
  readonly token: number;
  expiresAtMs: number;
  requested: { readonly by: string; readonly reason: string; readonly at: string } | null;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

interface Body {
  readonly owner: string;
  readonly ttl_ms: number;
  readonly fencing_token?: number;
}

const operator = { by: 'ann@example.com', reason: 'it was stuck' };

export class Service {
  readonly rows = new Map<string, Row>();
  /** The tokens of leases that an operator ended. */
  readonly forced = new Set<number>();
  /** And their owners: one whose first try arrived late has had two leases, and knows the token of the earlier one. */
  readonly forcedOwners = new Set<string>();
  #token = 0;

  handle(method: string, path: string, body: Body, nowMs: number): Reply {
    const [, segment = '', verb = ''] = /^\/api\/locks\/([^/]+)(\/renew)?$/.exec(path) ?? [];
    const resource = decodeURIComponent(segment);
    if (resource === '') return problem(404, 'not-found');
    const row = this.rows.get(resource);
    if (method === 'DELETE') return this.#release(resource, row, body, nowMs);
    return verb === '' ? this.#acquire(resource, row, body, nowMs) : this.#renew(row, body, nowMs);
  }

  forceRelease(resource: string, nowMs: number): void {
    const row = this.rows.get(resource);
    if (row === undefined || nowMs >= row.expiresAtMs) return;
    this.forced.add(row.token);
    this.forcedOwners.add(row.owner);
    this.rows.delete(resource);
  }

  askRelease(resource: string, nowMs: number): void {
    const row = this.rows.get(resource);
    if (row !== undefined) row.requested = { ...operator, at: String(nowMs) };
  }

  #acquire(resource: string, row: Row | undefined, body: Body, nowMs: number): Reply {
    if (row !== undefined && nowMs < row.expiresAtMs && row.owner !== body.owner) {
      const retryAfterMs = Math.max(1, Math.min(Math.round(row.expiresAtMs - nowMs), 5_000));
      const holder = { owner: row.owner, expires_at: String(row.expiresAtMs) };
      const denied = { acquired: false, resource, holder, retry_after_ms: retryAfterMs };
      return { status: 200, body: denied };
    }
    this.#token += 1;
    const granted: Row = {
      owner: body.owner,
      token: this.#token,
      expiresAtMs: nowMs + body.ttl_ms,
      requested: null,
    };
    this.rows.set(resource, granted);
    return { status: 200, body: { acquired: true, lock: onWire(granted) } };
  }

  #renew(row: Row | undefined, body: Body, nowMs: number): Reply {
    if (this.forced.has(body.fencing_token ?? 0)) {
      return problem(409, 'lock-lost', { forced: { ...operator, at: '' } });
    }
    if (row === undefined) return problem(404, 'not-found');
    if (row.owner !== body.owner || row.token !== body.fencing_token)
      return problem(409, 'lock-lost');
    if (nowMs >= row.expiresAtMs) return problem(409, 'lock-expired');
    row.expiresAtMs = Math.max(row.expiresAtMs, nowMs + body.ttl_ms);
    return { status: 200, body: { lock: onWire(row) } };
  }

  #release(resource: string, row: Row | undefined, body: Body, nowMs: number): Reply {
    if (row === undefined) return problem(404, 'not-found');
    const isOwn = row.owner === body.owner && row.token === (body.fencing_token ?? row.token);
    if (!isOwn) return problem(403, 'not-owner');
    if (nowMs >= row.expiresAtMs) return problem(404, 'lock-expired');
    this.rows.delete(resource);
    return { status: 204, body: null };
  }
}

function onWire(row: Row) {
  return { fencing_token: row.token, release_requested: row.requested };
}

function problem(status: number, code: string, extra = {}): Reply {
  return { status, body: { code, detail: code, ...extra } };
}
