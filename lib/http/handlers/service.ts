import { buildOpenApi } from '@/lib/contract/openapi';

import { handle, routeForCallers } from '../route';
import { Problem } from '../problem';

/** Health, the API's own description, and what is no route at all. */

export const live = handle('live', () => ({ status: 200, body: { status: 'ok' } }));

/** The services exist only once the migrations are applied, so what is left to ask is whether the store answers. */
export const ready = handle('ready', async (_, { services }) => {
  if (services.readiness.isStopping) {
    throw new Problem('unavailable', 'This instance is stopping.', {
      headers: { 'Retry-After': '1' },
    });
  }
  await services.locks.store.ping();
  return { status: 200, body: { status: 'ok' } };
});

export const openApi = handle('openapi', (_, { services }) => ({
  status: 200,
  body: buildOpenApi(services.endpoints),
}));

export const noSuchRoute = routeForCallers(() => {
  throw new Problem('not-found', 'There is no such route in this API.');
});
