import { expect, test } from 'vitest';
import { z } from 'zod';

import { endpoints } from '../support/api';
import { fresh, throughBothDoors } from '../support/both-doors';
import type { RawAnswer } from '../support/http';

const schema = z.record(z.string(), z.unknown());
const content = z.record(z.string(), z.strictObject({ schema }));
const operation = z.strictObject({
  operationId: z.string().min(1),
  summary: z.string().min(1),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(
    z.strictObject({
      name: z.string(),
      in: z.enum(['path', 'query']),
      required: z.boolean(),
      schema,
    }),
  ),
  requestBody: z.strictObject({ required: z.boolean(), content }).optional(),
  responses: z.record(
    z.string().regex(/^[1-5]\d\d$/),
    z.strictObject({ description: z.string().min(1), content: content.optional() }),
  ),
});
const openApi = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  servers: z.array(z.strictObject({ url: z.string() })),
  paths: z.record(z.string().startsWith('/api/'), z.record(z.string(), operation)),
  components: z.strictObject({
    schemas: z.record(z.string(), schema),
    securitySchemes: z.strictObject({ key: schema, session: schema }),
  }),
});

throughBothDoors('the OpenAPI document', (api) => {
  const read = async () => openApi.parse(JSON.parse((await api.call('openapi')).body));

  test('describes every endpoint of the table and no other', async () => {
    const { paths } = await read();
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId }]) => [
        operationId,
        `${method.toUpperCase()} ${path}`,
      ]),
    );
    const table = Object.entries(endpoints).map(([name, { method, path }]) => [
      name,
      `${method} ${path}`,
    ]);
    expect(new Map(described as [string, string][])).toEqual(new Map(table as [string, string][]));
    expect(described).toHaveLength(table.length);
  });

  test('says of each operation which keys and which people may call it', async () => {
    const { paths } = await read();
    const securityOf = (path: string, method: string) => paths[path]?.[method]?.security;
    expect(securityOf('/api/locks/{resource}', 'post')).toEqual([{ key: ['acquire'] }]);
    expect(securityOf('/api/locks/{resource}/hold', 'post')).toEqual([
      { key: ['operate'] },
      { session: ['operator'] },
    ]);
    expect(securityOf('/api/keys', 'post')).toEqual([{ session: ['admin'] }]);
    expect(securityOf('/api/health/live', 'get')).toEqual([]);
  });

  test('has a target for every reference', async () => {
    const document = await read();
    const references = [...referencesIn(document)];
    expect(references.length).toBeGreaterThan(0);
    const names = references.map((reference) => {
      expect(reference).toMatch(/^#\/components\/schemas\/\w+$/);
      return reference.split('/').at(-1) ?? '';
    });
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(names));
    expect(names).toEqual(expect.arrayContaining(['Lock', 'Holder', 'Event', 'Problem']));
  });

  test('declares every parameter of a path, as required', async () => {
    const { paths } = await read();
    for (const [path, operations] of Object.entries(paths)) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters } of Object.values(operations)) {
        const declared = parameters.filter((parameter) => parameter.in === 'path');
        expect(declared.map((parameter) => parameter.name)).toEqual(inPath);
        expect(declared.every((parameter) => parameter.required)).toBe(true);
        const names = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
        expect(new Set(names).size).toBe(names.length);
      }
    }
  });

  test('describes errors as problems, and bodies as closed objects', async () => {
    const { paths } = await read();
    for (const { responses, requestBody } of Object.values(paths).flatMap((operations) =>
      Object.values(operations),
    )) {
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) < 400) continue;
        expect(Object.keys(response.content ?? {})).toEqual(['application/problem+json']);
      }
      const body = requestBody?.content['application/json']?.schema;
      if (body !== undefined) expect(body).toMatchObject({ additionalProperties: false });
    }
  });

  test('describes what the service really answers', async () => {
    const { paths, components } = await read();
    const schemaFor = (path: string, method: string, answer: RawAnswer) => {
      const type = answer.headers['content-type'] ?? '';
      return paths[path]?.[method]?.responses[answer.status]?.content?.[type]?.schema;
    };
    const resource = fresh();
    const lockPath = '/api/locks/{resource}';
    const owner = { owner: 'owner', ttl_ms: 60_000 };
    const { fencing_token } = await api.grant(resource, { metadata: { host: 'a' } });
    const reason = 'stuck';
    const answers: [string, string, RawAnswer][] = [
      [lockPath, 'post', await api.call('acquire', { resource, body: { ...owner, owner: 'x' } })],
      [lockPath, 'post', await api.call('acquire', { resource: fresh(), body: owner })],
      [lockPath, 'post', await api.call('acquire', { resource, body: {} })],
      [`${lockPath}/renew`, 'post', await api.call('renew', { resource, body: owner })],
      [lockPath, 'get', await api.call('inspect', { resource })],
      [lockPath, 'get', await api.call('inspect', { resource: fresh() })],
      ['/api/locks', 'get', await api.call('list', { query: { prefix: resource } })],
      [`${lockPath}/check`, 'post', await api.call('check', { resource, body: { fencing_token } })],
      [
        `${lockPath}/ask-release`,
        'post',
        await api.call('askRelease', { resource, body: { fencing_token, reason } }),
      ],
      [
        `${lockPath}/hold`,
        'post',
        await api.call('hold', { resource, body: { reason, ttl_seconds: 9 } }),
      ],
      [
        `${lockPath}/force-release`,
        'post',
        await api.call('forceRelease', {
          resource,
          body: { fencing_token, reason, hold_seconds: 9 },
        }),
      ],
      [`${lockPath}/renew`, 'post', await api.call('renew', { resource, body: owner })],
      [`${lockPath}/events`, 'get', await api.call('lockEvents', { resource })],
      [
        '/api/force-release',
        'post',
        await api.call('bulkForceRelease', { body: { locks: [{ resource, fencing_token }] } }),
      ],
      ['/api/health/live', 'get', await api.call('live')],
      ['/api/health/ready', 'get', await api.call('ready')],
    ];
    for (const [path, method, answer] of answers) {
      const described = schemaFor(path, method, answer);
      const told = `${method} ${path} ${answer.status}: ${answer.body}`;
      expect(described, told).toBeDefined();
      const validator = z.fromJSONSchema({
        ...(relocated(described) as Record<string, unknown>),
        $defs: relocated(components.schemas),
      } as Parameters<typeof z.fromJSONSchema>[0]);
      expect(validator.safeParse(JSON.parse(answer.body)).error, told).toBeUndefined();
    }
  });
});

function* referencesIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref' && typeof inner === 'string') yield inner;
    else yield* referencesIn(inner);
  }
}

/** Each schema alone, with what it refers to beside it, as JSON Schema wants it. */
function relocated(value: unknown): unknown {
  const text = JSON.stringify(value).replaceAll('#/components/schemas/', '#/$defs/');
  return JSON.parse(text) as unknown;
}
