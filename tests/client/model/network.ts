import type { Random } from '../../support/random';
import type { Service, Reply } from './service';
import type { Machine, World } from './world';

/** How often and how badly a network fails. */
export interface Weather {
  /** From 0 to 1. */
  readonly faults: number;
  /** The longest that a request or an answer is under way. */
  readonly delayMsMax: number;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly token: number | undefined;
}

/** A `fetch` between one machine and the service. It may lose, delay, reset and reorder, and deliver what was given up. */
export function networkOf(
  world: World,
  machine: Machine,
  service: Service,
  random: Random,
  weather: Weather,
  onSent: (sent: Sent) => void,
): typeof fetch {
  const delay = () => random.next() ** 2 * weather.delayMsMax;

  return (input, init) => {
    const path = new URL(input as string).pathname;
    const method = init?.method ?? 'GET';
    const text = typeof init?.body === 'string' ? init.body : '{}';
    const body = JSON.parse(text) as { owner: string; ttl_ms: number; fencing_token?: number };
    onSent({ method, path, token: body.fencing_token });
    const fate = random.next() < weather.faults ? random.between(1, 5) : 0;

    return new Promise((resolve, reject) => {
      const { signal } = init ?? {};
      signal?.addEventListener('abort', () => reject(new Error('aborted')));
      const fail = () => machine.deliver(world.nowMs + delay(), () => reject(new Error('reset')));
      const answer = (reply: Reply) =>
        machine.deliver(world.nowMs + delay(), () => resolve(responseOf(reply)));
      if (fate === 1) return;
      if (fate === 2) {
        fail();
        return;
      }
      // It arrives also when its sender has given up by then.
      world.at(world.nowMs + delay(), () => {
        const unavailable = { status: 503, body: { code: 'store-unavailable' } };
        const isLeftOut = fate === 5 && random.next() < 0.5;
        const reply = isLeftOut ? unavailable : service.handle(method, path, body, world.nowMs);
        // Something happens at its very end, so that it is looked at then.
        const end = service.rows.get('job:1')?.expiresAtMs ?? 0;
        world.at(end, () => undefined);
        if (fate === 3) return;
        if (fate === 4) fail();
        else answer(fate === 5 ? unavailable : reply);
      });
    });
  };
}

/** What the client reads of a response. */
function responseOf({ status, body }: Reply): Response {
  const part = {
    status,
    ok: status >= 200 && status < 300,
    headers: new Headers(),
    body: null,
    text: () => Promise.resolve(body === null ? '' : JSON.stringify(body)),
  };
  return part as unknown as Response;
}
