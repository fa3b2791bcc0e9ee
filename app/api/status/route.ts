import { readStatus } from '@/lib/http/handlers/status';
import { route } from '@/lib/http/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: readStatus });
