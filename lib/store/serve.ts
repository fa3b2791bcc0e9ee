import type { StoreUnavailable } from '../locks/errors';
import type { LockStore } from '../locks/lock-store';
import { deniedBeside } from './denied-beside';
import type { GroupCommit } from './group-commit';
import type { LockReads } from './lock-reads';
import type { LockVerbs } from './lock-verbs';
import { watchVerbs, type Watchers } from './watchers';

interface StoreParts {
  readonly verbs: LockVerbs<StoreUnavailable>;
  readonly reads: LockReads;
  readonly commits: GroupCommit;
  readonly watchers: Watchers;
  readonly monotonicMs: () => number;
  /** Called after this process has written events, for who is elsewhere. */
  readonly onWritten?: () => void;
  /** Gives the connections back, after the last call. */
  readonly disconnect: () => Promise<void>;
}

/** A store whose lease calls ride in groups, and whose other calls go one by one with the same patience. */
export function serveLocks(parts: StoreParts): LockStore {
  const { reads, commits, watchers, monotonicMs, disconnect } = parts;
  const verbs = watchVerbs(parts.verbs, watchers, {
    monotonicMs,
    onWritten() {
      watchers.tellOfEvents();
      parts.onWritten?.();
    },
  });
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
    noteDenials: (denials) => commits.runWithPatience(() => verbs.noteDenials(denials)),
    noteRenewals: (notes) => commits.runWithPatience(() => verbs.noteRenewals(notes)),
    tidyDenials: () => commits.runWithPatience(() => verbs.tidyDenials()),
    askers: (resource) => commits.runWithPatience(() => reads.askers(resource)),
    lockUsage: (query) => commits.runWithPatience(() => reads.lockUsage(query)),
    usage: (query) => commits.runWithPatience(() => reads.usage(query)),
    endedLeases: (query) => commits.runWithPatience(() => reads.endedLeases(query)),
    noteEnds: (call) => commits.runWithPatience(() => verbs.noteEnds(call)),
    forgetOld: (call) => commits.runWithPatience(() => verbs.forgetOld(call)),
    events: (query) => commits.runWithPatience(() => reads.events(query)),
    feed: (query) => commits.runWithPatience(() => reads.feed(query)),
    tally: (query) => commits.runWithPatience(() => reads.tally(query)),
    watch: (watcher) => watchers.watch(watcher),
    async ping() {
      await commits.runWithPatience(() => reads.inspect(''));
    },
    async close() {
      await commits.close();
      await disconnect();
    },
  };
}
