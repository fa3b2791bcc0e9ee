import { Problem } from './problem';

/**
 * What to say of bytes that Node's HTTP parser gave up on.
 *
 * @param code the parser's error code.
 */
export function unreadableProblem(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('invalid-request', 'The headers of this request are too large.', {
        status: 431,
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('invalid-request', 'The request took too long to arrive.', {
        status: 408,
      });
    case undefined:
    default:
      return new Problem('invalid-request', 'This is not a well-formed HTTP/1.1 request.', {
        status: 400,
      });
  }
}
