import type { FieldError, ProblemCode } from '../contract/problems';
import type { ForcedOnWire, LockOnWire } from '../contract/answers';

/** What can go wrong besides the contract's problems: nothing came back, or something that is not the contract's. */
export type FailureCode = ProblemCode | 'timeout' | 'network' | 'bad-answer';

interface ApiErrorOptions {
  readonly code: FailureCode;
  readonly detail: string;
  /** The HTTP status; null when no answer came. */
  readonly status?: number | null;
  readonly errors?: readonly FieldError[];
  readonly lock?: LockOnWire | null;
  readonly forced?: ForcedOnWire | null;
  readonly requestId?: string | null;
  readonly answeredAtMs?: number | null;
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

/** The one error that a query or a mutation ends with. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: FailureCode;
  readonly status: number | null;
  readonly errors: readonly FieldError[];
  /** With `lock-changed`: the lock as it was when the server refused. */
  readonly lock: LockOnWire | null;
  readonly forced: ForcedOnWire | null;
  readonly requestId: string | null;
  /** The answer's `Date`, in milliseconds since the epoch; null when no answer came. */
  readonly answeredAtMs: number | null;
  /** With `too-many-requests` and `store-unavailable`: when to ask again, in milliseconds from the answer. */
  readonly retryAfterMs: number | null;

  constructor(options: ApiErrorOptions) {
    super(options.detail, { cause: options.cause });
    this.code = options.code;
    this.status = options.status ?? null;
    this.errors = options.errors ?? [];
    this.lock = options.lock ?? null;
    this.forced = options.forced ?? null;
    this.requestId = options.requestId ?? null;
    this.answeredAtMs = options.answeredAtMs ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/**
 * Whether a write may have happened all the same: no answer, an answer that can't be read, or one from the server's
 * side of the house. Only reading back tells.
 */
export function isOutcomeUnknown(error: ApiError): boolean {
  return error.status === null || error.code === 'bad-answer' || error.status >= 500;
}
