import { mayCall, type Caller } from '@/lib/access/callers';
import type { Endpoint } from '@/lib/contract/endpoint';
import type { EndpointName } from '@/lib/contract/endpoints';
import type { Services } from '@/lib/server/services';

import { authenticate } from './authenticate';
import { Problem } from './problem';

/**
 * Who makes a call that goes on for longer, by what counts now; null if the call may not go on. A key may have been
 * revoked, a session ended or a role changed meanwhile.
 *
 * @throws StoreUnavailable when it can't be told.
 */
export async function confirmCaller(
  name: EndpointName,
  { request, services }: { readonly request: Request; readonly services: Services },
): Promise<Caller | null> {
  try {
    const now = await authenticate(request, services);
    const { access }: Endpoint = services.endpoints[name];
    return access === 'anybody' || mayCall(now, access) ? now : null;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
