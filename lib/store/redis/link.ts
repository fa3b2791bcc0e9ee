import type { Cluster, Redis } from 'ioredis';

import { StoreUnavailable } from '../../locks/errors';
import { StoreBusy } from '../errors';
import { failureOf, isScriptUnknown } from './redis-errors';
import type { Script } from './scripts/script';

/** One call of a script. */
export interface ScriptCall {
  readonly script: Script;
  /** Where in a cluster it belongs; all keys of a store are in one place. */
  readonly key: string;
  readonly args: readonly (string | number)[];
}

/** What a script answered, or how it failed; each call of a group by itself. */
export type Reply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: StoreBusy | StoreUnavailable };

/** A connection to Redis, however many servers are behind it. It never sends a call a second time by itself. */
export class RedisLink {
  readonly #client: Redis | Cluster;
  /** Why there was no connection the last time that one was tried. */
  #trouble: Error | null = null;

  constructor(client: Redis | Cluster) {
    this.#client = client;
    // A broken connection is made anew; those who call meanwhile are told.
    this.#client.on('error', (error: Error) => (this.#trouble = error));
  }

  /**
   * Runs scripts in one round trip, each atomic by itself.
   *
   * @throws StoreBusy when there is no connection just now: nothing was sent.
   */
  async run(calls: readonly ScriptCall[]): Promise<readonly Reply[]> {
    const results = await this.#pipeline(calls, 'evalsha');
    const forgotten = calls.filter((_, index) => isForgotten(results[index]));
    if (forgotten.length === 0) return results.map(replyOf);
    const again = await this.#pipeline(forgotten, 'eval');
    let next = 0;
    return results.map((result) => replyOf(isForgotten(result) ? again[next++] : result));
  }

  /** @throws StoreBusy or StoreUnavailable */
  async runOne(call: ScriptCall): Promise<unknown> {
    const [reply] = await this.run([call]);
    if (reply === undefined) throw new StoreUnavailable('Redis gave no answer');
    if (!reply.ok) throw reply.failure;
    return reply.value;
  }

  /**
   * One plain command, whose first argument is a key unless it has none.
   *
   * @throws StoreBusy or StoreUnavailable
   */
  async command(name: string, ...args: readonly (string | number)[]): Promise<unknown> {
    this.#assertReady();
    try {
      return await this.#client.call(name, ...args);
    } catch (error) {
      throw failureOf(asError(error));
    }
  }

  close(): void {
    this.#client.disconnect();
  }

  async #pipeline(
    calls: readonly ScriptCall[],
    how: 'eval' | 'evalsha',
  ): Promise<readonly Result[]> {
    this.#assertReady();
    const pipeline = this.#client.pipeline();
    for (const { script, key, args } of calls) {
      const body = how === 'eval' ? script.text : script.sha;
      pipeline[how](body, script.keyCount, key, ...args);
    }
    try {
      return (await pipeline.exec()) ?? [];
    } catch (error) {
      throw failureOf(asError(error));
    }
  }

  #assertReady(): void {
    if (this.#client.status === 'ready') return;
    const cause = this.#trouble === null ? {} : { cause: this.#trouble };
    throw new StoreBusy('There is no connection to Redis', cause);
  }
}

type Result = readonly [error: Error | null, result: unknown];

function isForgotten(result: Result | undefined): boolean {
  const error = result?.[0] ?? null;
  return error !== null && isScriptUnknown(error);
}

function replyOf(result: Result | undefined): Reply {
  if (result === undefined) {
    return { ok: false, failure: new StoreUnavailable('Redis gave no answer') };
  }
  const [error, value] = result;
  return error === null ? { ok: true, value } : { ok: false, failure: failureOf(error) };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
