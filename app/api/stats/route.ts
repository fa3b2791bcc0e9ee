import { readStats } from '@/lib/http/handlers/stats';
import { route } from '@/lib/http/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: readStats });
