import { readdirSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { routes } from '@/generated/routes';
import { buildEndpoints } from '@/lib/contract/endpoints';
import { defaultLockSettings } from '@/lib/locks/limits';

const table = Object.values(buildEndpoints(defaultLockSettings));
const api = path.join(import.meta.dirname, '../../app/api');

/** The route files as they lie there, by their folder in Next's notation. */
const files = readdirSync(api, { recursive: true, encoding: 'utf8' })
  .filter((file) => path.basename(file) === 'route.ts')
  .map((file) => `/api/${path.dirname(file).replaceAll(path.sep, '/')}`)
  .sort();

/** What takes every path that nothing else does. */
const catchAll = '/api/[[...path]]';
const folderOf = (endpointPath: string) => endpointPath.replaceAll(/\{(\w+)\}/g, '[$1]');

describe('the endpoint table and the route files', () => {
  test('each endpoint has its route file, and each route file its endpoints', () => {
    const paths = new Set(table.map((endpoint) => folderOf(endpoint.path)));
    expect(files.filter((file) => file !== catchAll)).toEqual([...paths].sort());
  });

  test('the server mounts every route file that lies there', () => {
    expect(routes.map((route) => route.file).sort()).toEqual(files);
  });

  test('what is no route is answered too', () => {
    expect(files).toContain(catchAll);
  });

  test.each(routes.filter((route) => route.file !== catchAll))(
    '$file takes the methods of the table and no other',
    async ({ file, methods }) => {
      const declared = table
        .filter((endpoint) => folderOf(endpoint.path) === file)
        .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      // A method that no route takes is told which ones it does, before any service is started.
      const request = new Request('http://127.0.0.1/', {
        method: 'OPTIONS',
        headers: { host: '127.0.0.1' },
      });
      const answer = await methods.OPTIONS(request);
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(declared.sort());
    },
  );

  test.each(routes)('$file answers every method itself', ({ methods }) => {
    const all = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
    expect(Object.keys(methods).sort()).toEqual(all.sort());
  });
});
