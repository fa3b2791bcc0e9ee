import { readMe } from '@/lib/http/handlers/keys';
import { route } from '@/lib/http/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: readMe });
