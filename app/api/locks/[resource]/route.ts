import { acquireLock, releaseLock } from '@/lib/http/handlers/lease';
import { inspectLock } from '@/lib/http/handlers/read';
import { route } from '@/lib/http/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: inspectLock,
  POST: acquireLock,
  DELETE: releaseLock,
});
