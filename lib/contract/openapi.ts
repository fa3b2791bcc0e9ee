import { z } from 'zod';

import { accessRules } from './access';
import { problemsOf, type Endpoint } from './endpoint';
import type { EndpointName } from './endpoints';
import { problemAnswer } from './problems';

/** The OpenAPI 3.1 document, made from the endpoint table and the very schemas that validate. */
export function buildOpenApi(
  endpoints: Readonly<Record<EndpointName, Endpoint>>,
): Record<string, unknown> {
  const components: Record<string, unknown> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const path = (paths[endpoint.path] ??= {});
    path[endpoint.method.toLowerCase()] = operation(name, endpoint, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holdfast',
      version: '1',
      description: 'A distributed lock service with an operator’s dashboard.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: { schemas: components, securitySchemes },
  };
}

function operation(name: string, endpoint: Endpoint, components: Record<string, unknown>) {
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output') =>
    jsonSchema(schema, io, components);
  return {
    operationId: name,
    summary: endpoint.summary,
    security: securityOf(endpoint),
    ...parametersOf(endpoint, schemaOf),
    ...(endpoint.body === null
      ? {}
      : {
          requestBody: {
            required: endpoint.isBodyOptional !== true,
            content: { 'application/json': { schema: schemaOf(endpoint.body, 'input') } },
          },
        }),
    responses: { ...successes(endpoint, schemaOf), ...failures(endpoint, schemaOf) },
  };
}

const securitySchemes = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key, `Authorization: Bearer hf_…`. What it may do is its scopes and patterns.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'holdfast.session_token',
    description:
      'A person who has signed in. Behind TLS the name begins with `__Secure-`. Writes need an `Origin` of the service itself.',
  },
} as const;

/** Any one of these lets a caller in; an empty list means anybody. OpenAPI 3.1 takes scopes and roles with any scheme. */
function securityOf({ access }: Endpoint): readonly Record<string, readonly string[]>[] {
  if (access === 'anybody') return [];
  const { scopes, role } = accessRules[access];
  return [
    ...scopes.map((scope) => ({ key: [scope] })),
    ...(role === null ? [] : [{ session: [role] }]),
  ];
}

type SchemaOf = (schema: z.ZodType, io: 'input' | 'output') => Record<string, unknown>;

function parametersOf(endpoint: Endpoint, schemaOf: SchemaOf) {
  const parameters = [
    ...parametersIn('path', endpoint.parameters, schemaOf),
    ...parametersIn('query', endpoint.query, schemaOf),
  ];
  // A query that stands in for the body is optional as a whole.
  const isAlternative = endpoint.isBodyOptional === true;
  return {
    parameters: parameters.map((parameter) =>
      parameter.in === 'query' && isAlternative ? { ...parameter, required: false } : parameter,
    ),
  };
}

const objectSchema = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())),
  required: z.array(z.string()).optional(),
});

function parametersIn(place: 'path' | 'query', schema: z.ZodType | null, schemaOf: SchemaOf) {
  if (schema === null) return [];
  const { properties, required = [] } = objectSchema.parse(schemaOf(schema, 'input'));
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: property,
  }));
}

function successes(endpoint: Endpoint, schemaOf: SchemaOf) {
  return Object.fromEntries(
    Object.entries(endpoint.answers).map(([status, schema]) => [
      status,
      schema === null
        ? { description: endpoint.summary, ...contentOf(endpoint) }
        : {
            description: endpoint.summary,
            content: { 'application/json': { schema: schemaOf(schema, 'output') } },
          },
    ]),
  );
}

/** What is answered that is not JSON. */
function contentOf({ contentType }: Endpoint) {
  if (contentType === undefined) return {};
  return { content: { [contentType]: { schema: { type: 'string' } } } };
}

function failures(endpoint: Endpoint, schemaOf: SchemaOf) {
  const schema = schemaOf(problemAnswer, 'output');
  return Object.fromEntries(
    [...problemsOf(endpoint)].map(([status, codes]) => [
      status,
      {
        description: codes.join(', '),
        content: { 'application/problem+json': { schema } },
      },
    ]),
  );
}

/** A schema in JSON Schema 2020-12, with those that have an id moved to the components and referred to there. */
function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  components: Record<string, unknown>,
): Record<string, unknown> {
  const { $defs, ...own } = z.toJSONSchema(schema, { io, reused: 'inline' });
  delete own.$schema;
  const relocated = relocate(own);
  for (const [id, definition] of Object.entries($defs ?? {})) components[id] = relocate(definition);
  return z.record(z.string(), z.unknown()).parse(relocated);
}

function relocate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocate);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? inner.replace('#/$defs/', '#/components/schemas/')
        : relocate(inner),
    ]),
  );
}
