import { Problem } from './problem';

const loopbackHost =
  /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Until access control exists every caller is an operator, and any web page that a browser on this machine has open can
 * reach 127.0.0.1. So a request must be addressed to this machine by a loopback name (a foreign one may have been
 * rebound to 127.0.0.1), and if a page sent it, that page must be our own.
 *
 * @throws Problem 403
 */
export function assertLoopbackCaller(host: string | null, origin: string | null): void {
  if (host === null || !loopbackHost.test(host)) {
    throw new Problem(
      'forbidden',
      'Holdfast answers only to a loopback name such as 127.0.0.1 or localhost.',
    );
  }
  if (origin !== null && origin.toLowerCase() !== `http://${host.toLowerCase()}`) {
    throw new Problem('forbidden', 'A page of another origin may not call this API.');
  }
}
