import { serveAuth } from '@/lib/http/handlers/auth';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = serveAuth;
