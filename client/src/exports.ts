/** What every entry point exports. */
export type { LeaseOptions, WaitOptions } from './acquire.js';
export type { Metadata } from './arguments.js';
export type { Client, ClientOptions } from './client.js';
export type { Clock } from './clock.js';
export {
  BadArgumentError,
  HoldfastError,
  LockLostError,
  NotAcquiredError,
  NotAllowedError,
  UnavailableError,
  type Loss,
} from './errors.js';
export { assertFenced } from './fence.js';
export type { LeaseSet } from './lease-set.js';
export type { Lease, ReleaseRequest } from './lease.js';
export type { Lock } from './lock.js';
export type { Released } from './release.js';
export { version } from './version.js';
export type * from './wire.js';
