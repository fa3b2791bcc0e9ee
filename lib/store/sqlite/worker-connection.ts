import { Worker } from 'node:worker_threads';

import type { SqliteConnection } from './connection';
import type { Rows, Statement } from './lock-file';
import { errorOf, type WorkerCall, type WorkerReply } from './worker-messages';

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

type CallWithoutId = WorkerCall extends infer Call
  ? Call extends WorkerCall
    ? Omit<Call, 'id'>
    : never
  : never;

/**
 * A connection in a thread of its own, so that SQLite's work and its fsync overlap with reading and answering requests.
 * Should the thread die, what it was doing fails as unknown, and the next call starts another.
 */
export class WorkerSqliteConnection implements SqliteConnection {
  readonly #script: URL;
  readonly #url: string;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | null = null;
  #calls = 0;
  #isClosed = false;

  /**
   * @param script the bundled `worker.ts`.
   * @param url `file:` and a path.
   */
  constructor(script: URL, url: string) {
    this.#script = script;
    this.#url = url;
  }

  transaction(statements: readonly Statement[]): Promise<readonly Rows[]> {
    return this.#call<readonly Rows[]>({ verb: 'transaction', args: [statements] });
  }

  async script(sql: string): Promise<void> {
    await this.#call<unknown>({ verb: 'script', args: [sql] });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    const closed = worker === null ? null : this.#call<unknown>({ verb: 'close', args: [] });
    this.#isClosed = true;
    await closed;
    await worker?.terminate();
  }

  /** The thread answers each verb with the result of the same verb of a local connection. */
  #call<Result>(call: CallWithoutId): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new Error('The connection is closed'));
    const worker = (this.#worker ??= this.#start());
    this.#calls += 1;
    const id = this.#calls;
    return new Promise<Result>((resolve, reject) => {
      this.#pending.set(id, { resolve: (result) => resolve(result as Result), reject });
      worker.postMessage({ ...call, id });
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { workerData: { url: this.#url } });
    worker.on('message', (reply: WorkerReply) => this.#settle(reply));
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', () =>
      this.#fail(worker, new Error('The thread of the SQLite connection ended')),
    );
    return worker;
  }

  #settle(reply: WorkerReply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ('failure' in reply) pending?.reject(errorOf(reply.failure));
    else pending?.resolve(reply.result);
  }

  #fail(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}
