import type { z } from 'zod';

import type { Endpoint } from '@/lib/contract/endpoint';
import type { FieldError } from '@/lib/contract/problems';

import { invalid } from './problem';
import { hasBody, readJson } from './read-body';

/** What a handler is given, by the schemas of its endpoint; null where the endpoint takes nothing. */
export interface ParsedRequest {
  readonly parameters: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * Parses path, query and body by an endpoint's schemas.
 *
 * @throws Problem with every field that is wrong.
 */
export async function parseRequest(request: Request, endpoint: Endpoint): Promise<ParsedRequest> {
  const { path, query } = splitUrl(request.url);
  const parameters =
    endpoint.parameters === null
      ? null
      : parse(endpoint.parameters, pathParameters(path, endpoint.path));
  const readsBody = endpoint.body !== null && (!endpoint.isBodyOptional || hasBody(request));
  const takesQuery = endpoint.query !== null && !(endpoint.isBodyOptional && readsBody);

  const queryFields = parseQuery(query, endpoint.repeats ?? []);
  const isBesideBody = endpoint.query !== null && readsBody;
  return {
    parameters,
    query: takesQuery ? parse(endpoint.query, queryFields) : refuseAny(queryFields, isBesideBody),
    body: readsBody ? parse(endpoint.body, await readJson(request, endpoint.bodyBytesMax)) : null,
  };
}

/** By hand, from the raw text: `URL` would drop `.` segments and take `\` for `/`. */
function splitUrl(url: string): { path: string; query: string } {
  const pathStart = url.indexOf('/', url.indexOf('//') + 2);
  const target = pathStart === -1 ? '/' : url.slice(pathStart);
  const queryStart = target.indexOf('?');
  if (queryStart === -1) return { path: target, query: '' };
  return { path: target.slice(0, queryStart), query: target.slice(queryStart + 1) };
}

/** A path has at most one parameter, `{resource}` or `{id}`, always as the third segment. */
const parameterSegment = 3;

function pathParameters(path: string, template: string): Record<string, string> {
  const name = template.startsWith('/api/locks/') ? 'resource' : 'id';
  return { [name]: decode(path.split('/', parameterSegment + 1)[parameterSegment] ?? '', name) };
}

type QueryFields = Readonly<Record<string, string | readonly string[]>>;

const noFields: QueryFields = {};

/** @param repeats the names that may be given more than once: each is an array. */
function parseQuery(query: string, repeats: readonly string[]): QueryFields {
  if (query === '') return noFields;
  const fields = new Map<string, string | readonly string[]>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), 'query');
    const before = fields.get(name) ?? [];
    if (typeof before === 'string') throw invalid([{ field: name, message: 'is given twice' }]);
    const text = equals === -1 ? '' : pair.slice(equals + 1);
    const value = decode(text.replaceAll('+', ' '), name);
    fields.set(name, repeats.includes(name) ? [...before, value] : value);
  }
  return Object.fromEntries(fields);
}

function decode(text: string, field: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid([{ field, message: 'has a broken percent-encoding' }]);
  }
}

function refuseAny(fields: QueryFields, isBesideBody: boolean): null {
  const message = isBesideBody
    ? 'must be in the body or in the query, and the request has a body'
    : 'is not a known parameter here';
  const errors = Object.keys(fields).map((field) => ({ field, message }));
  if (errors.length > 0) throw invalid(errors);
  return null;
}

function parse(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(withoutRepeats(result.error.issues.flatMap(fieldErrors)));
}

/** One value may break two rules that are told in the same words. */
function withoutRepeats(errors: readonly FieldError[]): FieldError[] {
  const seen = new Map(errors.map((error) => [`${error.field} ${error.message}`, error]));
  return [...seen.values()];
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const place = issue.path.map(String);
  // Only a body can be of the wrong type as a whole.
  const field = place.length === 0 ? 'body' : place.join('.');
  if (issue.code === 'unrecognized_keys') {
    const message = 'is not a known field';
    return issue.keys.map((key) => ({ field: [...place, key].join('.'), message }));
  }
  return [{ field, message: messageOf(issue) }];
}

/** Our own words where the schema gives none. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `must be ${oneOf(issue.values)}`;
  if (issue.code === 'invalid_type' && issue.expected === 'object') return 'must be an object';
  return issue.message;
}

function oneOf(values: readonly unknown[]): string {
  const words = values.map(String);
  return words.length === 1 ? words.join() : `one of ${words.join(', ')}`;
}
