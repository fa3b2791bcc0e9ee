import { HoldfastError } from '../errors.js';
import { checkUrl } from '../arguments.js';
import { systemClock } from '../clock.js';
import { createTransport, type Transport } from '../transport.js';
import type { Problem } from '../wire.js';
import type { Settings } from './settings.js';

const answerTimeoutMs = 10_000;

/** What is asked once, for a person who waits. */
export interface Api {
  /** @returns undefined for 404. */
  read<Body>(path: string): Promise<Body | undefined>;
  /** @throws RefusedError for 404 and 409. */
  write<Body>(path: string, body: unknown): Promise<Body>;
  readonly transport: Transport;
}

/** The service says no, for a reason that is about the lock. */
export class RefusedError extends HoldfastError {
  readonly problem: Partial<Problem>;

  constructor(problem: Partial<Problem>) {
    super('RefusedError', 'refused', problem.detail ?? 'The service refused');
    this.problem = problem;
  }
}

export function createApi({ url, apiKey }: Settings): Api {
  const transport = createTransport({ url: checkUrl(url), apiKey, fetch, clock: systemClock });
  return {
    transport,
    async read<Body>(path: string) {
      const answer = await transport.send<Body>({
        method: 'GET',
        path,
        timeoutMs: answerTimeoutMs,
      });
      return answer.status === 200 ? answer.body : undefined;
    },
    async write<Body>(path: string, body: unknown) {
      const answer = await transport.send<Body>({
        method: 'POST',
        path,
        body,
        timeoutMs: answerTimeoutMs,
      });
      if (answer.status >= 300) throw new RefusedError(answer.problem);
      return answer.body;
    },
  };
}
