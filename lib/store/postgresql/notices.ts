import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';
import { z } from 'zod';

export interface NoticesOptions {
  /** An address that leads to the server itself: a pooler in transaction mode passes no notices on. */
  readonly url: string;
  readonly connectMsMax: number;
  readonly statementMsMax: number;
  /** Another instance has written events. */
  readonly onNotice: () => void;
  /** Told once, when notices can't be had by this address. */
  readonly onPooled: () => void;
}

const channel = 'holdfast_events';
const retryMs = 5_000;
/** A notice says no more than "look": one for all that was written meanwhile is enough. */
const noticeEveryMs = 20;

/**
 * A connection of its own by which instances tell one another that there are events. A hint and no more: whoever misses
 * one looks by itself a little later. It is sent here, after the commit, and never by the transactions of locks: a commit
 * with a NOTIFY waits for every other such commit in the whole server.
 */
export class EventNotices {
  readonly #options: NoticesOptions;
  #client: pg.Client | null = null;
  #connecting: Promise<void> | null = null;
  #retry: NodeJS.Timeout | null = null;
  #isSending = false;
  #isWanted = false;
  #isClosed = false;
  #isPooled = false;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#isClosed || this.#isPooled || this.#client !== null) return;
    this.#connecting ??= this.#connect()
      .catch(() => this.#tryAgain())
      .finally(() => (this.#connecting = null));
  }

  /** Tells the others, soon, and once for all that is told within a moment. */
  tell(): void {
    this.#isWanted = true;
    if (!this.#isSending) void this.#send();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#connecting;
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const { url, connectMsMax, statementMsMax, onNotice, onPooled } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      application_name: 'holdfast events',
      connectionTimeoutMillis: connectMsMax,
      query_timeout: statementMsMax,
      keepAlive: true,
    });
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    client.on('notification', ({ processId }) => {
      // PostgreSQL hands a session its own notices as well, and who wrote was told by the write.
      if (processId !== sessionOf(client)) onNotice();
    });
    try {
      await client.connect();
      if (await isPooled(client)) {
        this.#isPooled = true;
        onPooled();
      } else {
        // A notice that is lost costs a moment, and flushing each would cost the disk of the locks.
        await client.query('SET synchronous_commit = off');
        await client.query(`LISTEN ${channel}`);
        if (!this.#isClosed) {
          this.#client = client;
          return;
        }
      }
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    await client.end().catch(() => undefined);
  }

  /** One notice after another, for as long as there are any to send. */
  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#isWanted && this.#client !== null) {
      const client = this.#client;
      this.#isWanted = false;
      await client.query('SELECT pg_notify($1, $2)', [channel, '']).catch(() => this.#lost(client));
      await delay(noticeEveryMs, undefined, { ref: false });
    }
    this.#isSending = false;
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    client.end().catch(() => undefined);
    this.#tryAgain();
  }

  #tryAgain(): void {
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => this.start(), retryMs);
    this.#retry.unref();
  }
}

const backend = z.tuple([z.object({ pid: z.int() })]);

/** A pooler greets with a number of its own in place of the server process's. */
async function isPooled(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const [{ pid }] = backend.parse(rows);
  return sessionOf(client) !== pid;
}

/** The server process that the connection was greeted by; null until then. */
function sessionOf(client: pg.Client): unknown {
  return 'processID' in client ? client.processID : null;
}
