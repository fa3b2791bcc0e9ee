import { visibleTo } from '@/lib/access/callers';

import { Problem } from '../problem';
import { handle } from '../route';

/** For the operators: it is about the service as a whole, so a key must reach all of it. */
export const readStatus = handle('status', async (_, { services, caller }) => {
  if (visibleTo(caller) !== null) {
    throw new Problem('forbidden', 'This needs a key with the pattern *.');
  }
  const { version, latencyMs, store, database } = await services.status();
  return { status: 200, body: { version, latency_ms: latencyMs, store, database } };
});
