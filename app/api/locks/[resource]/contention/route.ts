import { readContention } from '@/lib/http/handlers/read';
import { route } from '@/lib/http/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: readContention,
});
