import { renewLock } from '@/lib/http/handlers/lease';
import { route } from '@/lib/http/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: renewLock });
