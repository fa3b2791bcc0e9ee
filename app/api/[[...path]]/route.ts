import { noSuchRoute } from '@/lib/http/handlers/service';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = noSuchRoute;
