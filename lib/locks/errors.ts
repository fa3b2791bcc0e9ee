/**
 * The store did not answer, or too late. For a write this means "maybe": the caller should send it again.
 * The cause goes to the log and never to a caller.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
