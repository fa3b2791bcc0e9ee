/** Whether calls are traced, and how their spans leave: by the standard variables of OpenTelemetry. */
export interface TraceSettings {
  readonly protocol: TraceProtocol;
  /** What its headers carry, which no log may tell. */
  readonly secrets: readonly string[];
}

const protocols = ['http/protobuf', 'http/json'] as const;
type TraceProtocol = (typeof protocols)[number];

/** Those that are looked at here; the SDK reads these and the rest of its own by itself. */
export const traceVariableNames = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_TRACES_EXPORTER',
  'OTEL_SDK_DISABLED',
] as const;

type Variable = (typeof traceVariableNames)[number];

const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const;
const headers = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'] as const;
const samplers = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [
  name,
  `parentbased_${name}`,
]);

/**
 * What the SDK would leave out without a word is a problem here. Without an address nothing is: such variables are often
 * set for all programs of a machine.
 *
 * @returns the settings, null for no traces, and a line for each problem.
 */
export function readTraceSettings(variables: NodeJS.ProcessEnv): {
  readonly traces: TraceSettings | null;
  readonly problems: readonly string[];
} {
  const value = (name: Variable) => variables[name]?.trim() ?? '';
  const isOff = /^true$/i.test(value('OTEL_SDK_DISABLED')) || value(exporter) === 'none';
  if (isOff || endpoints.every((name) => value(name) === '')) return { traces: null, problems: [] };
  const protocol = protocolOf(value);
  const problems = [...addressProblems(value), ...choiceProblems(value)];
  if (protocol === null) problems.push(protocolProblem);
  return { traces: { protocol: protocol ?? protocols[0], secrets: secretsOf(value) }, problems };
}

const exporter = 'OTEL_TRACES_EXPORTER';
const protocolProblem = `OTEL_EXPORTER_OTLP_TRACES_PROTOCOL, or else OTEL_EXPORTER_OTLP_PROTOCOL, must be ${protocols.join(' or ')}`;

type ValueOf = (name: Variable) => string;

function protocolOf(value: ValueOf): TraceProtocol | null {
  const given = value('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || value('OTEL_EXPORTER_OTLP_PROTOCOL');
  return given === '' ? protocols[0] : (protocols.find((known) => known === given) ?? null);
}

/** A sentence that never repeats the address: it may hold a password. */
function addressProblems(value: ValueOf): string[] {
  return endpoints
    .filter((name) => value(name) !== '' && !/^https?:$/.test(schemeOf(value(name))))
    .map((name) => `${name} must be a URL such as http://127.0.0.1:4318`);
}

function schemeOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : '';
}

function choiceProblems(value: ValueOf): string[] {
  const problems = [];
  if (!['', 'otlp'].includes(value(exporter))) problems.push(`${exporter} must be otlp or none`);
  const sampler = value('OTEL_TRACES_SAMPLER');
  if (sampler !== '' && !samplers.includes(sampler)) {
    problems.push(`OTEL_TRACES_SAMPLER must be one of ${samplers.join(', ')}`);
  }
  const ratio = value('OTEL_TRACES_SAMPLER_ARG');
  if (sampler.endsWith('traceidratio') && ratio !== '' && !(Number(ratio) >= 0 && Number(ratio) <= 1)) {
    problems.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  }
  return problems;
}

function secretsOf(value: ValueOf): string[] {
  return headers
    .flatMap((name) => value(name).split(','))
    .map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, decoded(secret)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
