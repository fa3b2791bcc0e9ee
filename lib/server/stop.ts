import type { Server } from 'node:http';

import type { Services } from './services';

export interface StopOptions {
  readonly server: Server;
  readonly services: Services;
  /** How long calls are still taken after readiness has turned red, for balancers to notice. */
  readonly graceMs: number;
  /** Breaks off event streams whose readers have not taken their end. */
  readonly cutStreams: () => void;
}

/** How long the last words of a stream may take to be read. */
const streamMsMax = 2_000;
/** How long a stop waits for calls under way; then their connections are cut, and what remains must end soon. */
const finishMsMax = 8_000;
const shutdownMsMax = 10_000;

/**
 * The first signal turns readiness red, then takes no new connections, ends streams and lets calls under way finish; a
 * second, or too long a wait, ends the process at once.
 */
export function stopOnSignal(options: StopOptions): void {
  const { services, graceMs } = options;
  let isStopping = false;
  const stop = () => {
    if (isStopping) process.exit(1);
    isStopping = true;
    services.readiness.isStopping = true;
    services.log.info({ graceMs }, 'stopping');
    if (graceMs === 0) close(options);
    else setTimeout(() => close(options), graceMs);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function close({ server, services, cutStreams }: StopOptions): void {
  setTimeout(cutStreams, streamMsMax).unref();
  setTimeout(() => server.closeAllConnections(), finishMsMax).unref();
  setTimeout(() => process.exit(1), shutdownMsMax).unref();
  server.close(() => {
    services.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
  services.events.hub.close();
  // Also those that fall idle later, and would otherwise keep the server for as long as a keep-alive lasts.
  setInterval(() => server.closeIdleConnections(), 50).unref();
}
