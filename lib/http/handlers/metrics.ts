import { visibleTo } from '@/lib/access/callers';

import { Problem } from '../problem';
import { handle } from '../route';

/** For Prometheus: they count all resources, so a key must reach them all. */
export const readMetrics = handle('metrics', async (_, { services, caller }) => {
  if (visibleTo(caller) !== null) {
    throw new Problem('forbidden', 'This needs a key with the pattern *.');
  }
  const text = await services.metrics.scrape();
  return {
    status: 200,
    headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
    stream: new Blob([text]).stream(),
  };
});
