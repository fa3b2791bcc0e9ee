import type { StoreUnavailable } from '../locks/errors';
import type { LockStore } from '../locks/lock-store';
import { deniedBeside } from './denied-beside';
import type { GroupCommit } from './group-commit';
import type { LockReads } from './lock-reads';
import type { LockVerbs } from './lock-verbs';

interface StoreParts {
  readonly verbs: LockVerbs<StoreUnavailable>;
  readonly reads: LockReads;
  readonly commits: GroupCommit;
  /** Gives the connections back, after the last call. */
  readonly disconnect: () => Promise<void>;
}

/** A store whose lease calls ride in groups, and whose other calls go one by one with the same patience. */
export function serveLocks({ verbs, reads, commits, disconnect }: StoreParts): LockStore {
  // Renewals and releases first: they end or keep what is already granted.
  const renew = commits.addLane(verbs.renew);
  const release = commits.addLane(verbs.release);
  const acquire = commits.addLane(verbs.acquire, deniedBeside);

  return {
    acquire,
    renew,
    release,
    forceRelease: (calls) => commits.runWithPatience(() => verbs.forceRelease(calls)),
    hold: (call) => commits.runWithPatience(() => verbs.hold(call)),
    askRelease: (call) => commits.runWithPatience(() => verbs.askRelease(call)),
    inspect: (resource) => commits.runWithPatience(() => reads.inspect(resource)),
    list: (query) => commits.runWithPatience(() => reads.list(query)),
    events: (query) => commits.runWithPatience(() => reads.events(query)),
    async ping() {
      await commits.runWithPatience(() => reads.inspect(''));
    },
    async close() {
      await commits.close();
      await disconnect();
    },
  };
}
