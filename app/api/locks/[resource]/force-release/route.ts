import { forceReleaseLock } from '@/lib/http/handlers/operate';
import { route } from '@/lib/http/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: forceReleaseLock,
});
