import { streamEvents } from '@/lib/http/handlers/stream';
import { route } from '@/lib/http/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: streamEvents });
