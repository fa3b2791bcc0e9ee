import { readMetrics } from '@/lib/http/handlers/metrics';
import { route } from '@/lib/http/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: readMetrics });
