import { problemCodes, type FieldError, type ProblemCode } from '@/lib/contract/problems';
import type { ForcedOnWire, LockOnWire } from '@/lib/contract/answers';

/** An answer that is an error. Thrown anywhere below the wrapper, which writes it as `application/problem+json`. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly extras: ProblemExtras;
  readonly headers: Readonly<Record<string, string>>;

  /** @param detail what happened, to what, and what to do, in one plain sentence. */
  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail);
    this.code = code;
    this.status = options.status ?? problemCodes[code].status;
    this.extras = options.extras ?? {};
    this.headers = options.headers ?? {};
  }
}

export interface ProblemExtras {
  readonly errors?: readonly FieldError[];
  readonly lock?: LockOnWire;
  readonly forced?: ForcedOnWire;
}

interface ProblemOptions {
  /** Where the contract gives a code another status than its usual one. */
  readonly status?: number;
  readonly extras?: ProblemExtras;
  readonly headers?: Readonly<Record<string, string>>;
}

/** 422, with each field that is wrong. */
export function invalid(errors: readonly FieldError[]): Problem {
  const detail = errors
    .map(({ field, message }) => `${field === '' ? 'the body' : field} ${message}`)
    .join('; ');
  return new Problem('invalid-request', `${detail}.`, { extras: { errors } });
}

export function problemBody(problem: Problem, requestId: string): Record<string, unknown> {
  return {
    type: `urn:holdfast:problem:${problem.code}`,
    title: problemCodes[problem.code].title,
    status: problem.status,
    detail: problem.message,
    instance: `urn:holdfast:request:${requestId}`,
    code: problem.code,
    ...problem.extras,
  };
}
