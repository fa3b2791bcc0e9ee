// TypeScript from the parts of an OpenAPI 3.1 document that the client uses. It knows the JSON Schema that our document has,
// and refuses any other, so that a new kind of schema is not passed on as `unknown`.

const bodies = ['acquire', 'renew', 'release', 'check', 'forceRelease', 'hold'];
const answers = [
  'acquire',
  'renew',
  'inspect',
  'list',
  'check',
  'lockEvents',
  'forceRelease',
  'me',
];

const header = `// What travels between the client and the service. Made from the OpenAPI document by
// \`node scripts/client-types.mjs\`, and not to be edited: a test holds it against the document.`;

/** The text of client/src/wire.ts, before it is formatted. */
export function wireTypes(document) {
  const { schemas } = document.components;
  const operations = new Map();
  for (const methods of Object.values(document.paths)) {
    for (const operation of Object.values(methods))
      operations.set(operation.operationId, operation);
  }
  const operationOf = (name) => {
    const operation = operations.get(name);
    if (operation === undefined) throw new Error(`The document has no operation ${name}`);
    return operation;
  };
  const declared = [
    ...bodies.map((name) => [
      `${capital(name)}Body`,
      operationOf(name).requestBody.content['application/json'].schema,
    ]),
    ...answers.map((name) => [
      `${capital(name)}Answer`,
      operationOf(name).responses['200'].content['application/json'].schema,
    ]),
    ['ListQuery', queryOf(operationOf('list'))],
  ];
  const wanted = new Set(['Problem']);
  for (const [, schema] of declared) addReferences(schema, schemas, wanted);
  addReferences(schemas.Problem, schemas, wanted);
  return [
    header,
    ...[...wanted].sort().map((name) => declaration(name, schemas[name])),
    ...declared.map(([name, schema]) => declaration(name, schema)),
  ].join('\n\n');
}

function queryOf(operation) {
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query');
  return {
    type: 'object',
    properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])),
    required: [],
  };
}

const referencePrefix = '#/components/schemas/';

function addReferences(schema, schemas, wanted) {
  if (Array.isArray(schema)) for (const inner of schema) addReferences(inner, schemas, wanted);
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, inner] of Object.entries(schema)) {
    if (key !== '$ref') addReferences(inner, schemas, wanted);
    else if (!wanted.has(nameOf(inner))) {
      wanted.add(nameOf(inner));
      addReferences(schemas[nameOf(inner)], schemas, wanted);
    }
  }
}

function nameOf(reference) {
  if (!reference.startsWith(referencePrefix)) throw new Error(`Not a component: ${reference}`);
  return reference.slice(referencePrefix.length);
}

function declaration(name, schema) {
  const isInterface = schema.type === 'object' && schema.properties !== undefined;
  return isInterface
    ? `export interface ${name} ${typeOf(schema)}`
    : `export type ${name} = ${typeOf(schema)};`;
}

function typeOf(schema) {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((word) => JSON.stringify(word)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(typeOf).join(' | ');
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  }
  switch (schema.type) {
    case 'object':
      return objectType(schema);
    case 'array':
      return `readonly (${typeOf(schema.items)})[]`;
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      throw new Error(`Not a schema that is known here: ${JSON.stringify(schema)}`);
  }
}

function objectType({ properties, required = [], additionalProperties }) {
  if (properties === undefined) return `Readonly<Record<string, ${typeOf(additionalProperties)}>>`;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description === undefined ? '' : `/** ${schema.description} */\n`;
    const isOptional = !required.includes(name);
    const type = `${typeOf(schema)}${isOptional ? ' | undefined' : ''}`;
    return `${comment}readonly ${name}${isOptional ? '?' : ''}: ${type};`;
  });
  return `{\n${fields.join('\n')}\n}`;
}

function capital(name) {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
