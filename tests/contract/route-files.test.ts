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

/** What takes every path that nothing else does, and what belongs to the sign-in library. */
const catchAll = '/api/[[...path]]';
const signIn = '/api/auth/[...path]';
const folderOf = (endpointPath: string) => endpointPath.replaceAll(/\{(\w+)\}/g, '[$1]');

describe('the endpoint table and the route files', () => {
  test('each endpoint has its route file, and each route file its endpoints', () => {
    const paths = new Set(table.map((endpoint) => folderOf(endpoint.path)));
    expect(files.filter((file) => file !== catchAll && file !== signIn)).toEqual([...paths].sort());
  });

  test('the server mounts every route file that lies there', () => {
    expect(routes.map((route) => route.file).sort()).toEqual(files);
  });

  test('what is no route is answered too', () => {
    expect(files).toContain(catchAll);
    expect(files).toContain(signIn);
  });

  test.each(routes)('$file answers every method itself', ({ methods }) => {
    const all = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
    expect(Object.keys(methods).sort()).toEqual(all.sort());
  });
});
