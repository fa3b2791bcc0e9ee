import { readEvents } from '@/lib/http/handlers/events';
import { route } from '@/lib/http/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: readEvents });
