import { connect, createServer, type Socket } from 'node:net';

/** A wire between a server and its database that a test can cut. */
export interface Proxy {
  readonly port: number;
  /** Carries bytes both ways, those that were held back first. */
  pass(): void;
  /** Takes connections and bytes, and lets nothing through: a network that loses packets. */
  swallow(): void;
  /** Resets every connection, and each new one at once. */
  refuse(): void;
  /** Lets the next requests arrive, and resets their connections in place of their answers. */
  loseAnswers(count: number): void;
  /** Leads elsewhere from now on; whoever is connected must come again. */
  retarget(port: number): void;
  /** Holds back every answer for this long. */
  delay(ms: number): void;
  close(): Promise<void>;
}

export async function startProxy(targetPort: number): Promise<Proxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let mode: 'pass' | 'swallow' | 'refuse' = 'pass';
  let answersToLose = 0;
  let delayMs = 0;
  let port = targetPort;

  const server = createServer((near) => {
    if (mode === 'refuse') {
      near.resetAndDestroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (bytes) => {
        if (from === far && answersToLose > 0) {
          answersToLose -= 1;
          near.resetAndDestroy();
        } else if (from === far && delayMs > 0) setTimeout(() => to.write(bytes), delayMs);
        else to.write(bytes);
      });
      from.on('error', () => undefined);
      from.once('close', () => {
        pairs.delete(pair);
        to.destroy();
      });
    }
    if (mode === 'swallow') hold(pair);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port');

  return {
    port: address.port,
    pass() {
      mode = 'pass';
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    swallow() {
      mode = 'swallow';
      pairs.forEach(hold);
    },
    refuse() {
      mode = 'refuse';
      for (const [near] of pairs) near.resetAndDestroy();
    },
    loseAnswers(count) {
      answersToLose = count;
    },
    retarget(next) {
      port = next;
      for (const [near] of pairs) near.resetAndDestroy();
    },
    delay(ms) {
      delayMs = ms;
    },
    close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function hold(pair: readonly [Socket, Socket]): void {
  for (const socket of pair) socket.pause();
}
