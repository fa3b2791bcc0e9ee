import type { GroupCarried, StoreVerb, StoreWatcher } from '../locks/event-feed';
import { StoreUnavailable } from '../locks/errors';
import { RolledBack, StoreBusy } from './errors';
import type { LockVerbs } from './lock-verbs';

/** Who is told what a store does. With nobody listening it costs next to nothing. */
export interface Watchers {
  watch(watcher: StoreWatcher): () => void;
  readonly all: ReadonlySet<StoreWatcher>;
  /** Tells that the feed is worth a look. */
  tellOfEvents(): void;
}

export function createWatchers(): Watchers {
  const all = new Set<StoreWatcher>();
  return {
    all,
    watch(watcher) {
      all.add(watcher);
      return () => all.delete(watcher);
    },
    tellOfEvents() {
      for (const { onEvents } of all) onEvents?.();
    },
  };
}

type Group = (calls: never) => Promise<unknown>;

interface Watching<Run extends Group> {
  readonly verb: StoreVerb;
  readonly run: Run;
  readonly ridersOf: (calls: Parameters<Run>[0]) => readonly object[];
  /** Told after the transaction is durable; says whether it wrote events. */
  readonly hasWritten: (outcome: Awaited<ReturnType<Run>>) => boolean;
}

interface WatchOptions {
  readonly monotonicMs: () => number;
  /** Called when this process has written events. */
  readonly onWritten: () => void;
}

type Watch = <Run extends Group>(watching: Watching<Run>) => Run;

function watcherOf(watchers: Watchers, { monotonicMs, onWritten }: WatchOptions): Watch {
  return <Run extends Group>({ verb, run, ridersOf, hasWritten }: Watching<Run>) => {
    const carry = async (calls: Parameters<Run>[0]) => {
      const startMs = monotonicMs();
      const tell = (failure: GroupCarried['failure']) => {
        const [riders, tookMs] = [ridersOf(calls), monotonicMs() - startMs];
        const group = { verb, calls: riders.length, riders, tookMs, failure };
        for (const { onGroup } of watchers.all) onGroup?.(group);
      };
      let outcome: Awaited<ReturnType<Run>>;
      try {
        outcome = (await run(calls)) as Awaited<ReturnType<Run>>;
      } catch (error) {
        tell(failureOf(error));
        throw error;
      }
      tell(null);
      if (hasWritten(outcome)) onWritten();
      return outcome;
    };
    return carry as unknown as Run;
  };
}

/** Of a group, the calls that were decided: one may have failed alone. */
function decided<T>(outcomes: readonly (T | StoreUnavailable)[]): readonly T[] {
  return outcomes.flatMap((outcome) => (outcome instanceof StoreUnavailable ? [] : [outcome]));
}

type Verbs = LockVerbs<StoreUnavailable>;

/** The same verbs, told of once their transactions are over. */
export function watchVerbs(verbs: Verbs, watchers: Watchers, options: WatchOptions): Verbs {
  const watched = watcherOf(watchers, options);
  const many = (calls: readonly object[]) => calls;
  const one = (call: object) => [call];
  return {
    acquire: watched<Verbs['acquire']>({
      verb: 'acquire',
      run: verbs.acquire,
      ridersOf: many,
      hasWritten: (outcomes) => decided(outcomes).some(({ outcome }) => outcome.kind === 'granted'),
    }),
    renew: watched<Verbs['renew']>({
      verb: 'renew',
      run: verbs.renew,
      ridersOf: many,
      hasWritten(outcomes) {
        tellOfRenewals(outcomes, watchers);
        // The first renew of an evicted owner is noted.
        return decided(outcomes).some(
          ({ outcome }) => outcome.kind === 'lost' && outcome.forced !== null,
        );
      },
    }),
    release: watched<Verbs['release']>({
      verb: 'release',
      run: verbs.release,
      ridersOf: many,
      hasWritten: (outcomes) =>
        decided(outcomes).some(({ outcome }) => outcome.kind === 'released'),
    }),
    forceRelease: watched<Verbs['forceRelease']>({
      verb: 'force_release',
      run: verbs.forceRelease,
      ridersOf: many,
      hasWritten: ({ outcome }) => outcome.some(({ kind }) => kind === 'released'),
    }),
    hold: watched<Verbs['hold']>({
      verb: 'hold',
      run: verbs.hold,
      ridersOf: one,
      hasWritten: ({ outcome }) => outcome.kind === 'held',
    }),
    askRelease: watched<Verbs['askRelease']>({
      verb: 'ask_release',
      run: verbs.askRelease,
      ridersOf: one,
      hasWritten: ({ outcome }) => outcome.kind === 'asked',
    }),
    noteEnds: tellingOfEnds(verbs.noteEnds, options),
    forgetOld: verbs.forgetOld,
    noteDenials: tellingOfNotes(verbs.noteDenials, options),
    noteRenewals: tellingOfNotes(verbs.noteRenewals, options),
    tidyDenials: tellingOfNotes(verbs.tidyDenials, options),
  };
}

/** Nobody called for it, so it is no group of anybody's calls. */
function tellingOfEnds(
  noteEnds: LockVerbs['noteEnds'],
  { onWritten }: WatchOptions,
): LockVerbs['noteEnds'] {
  return async (call) => {
    const outcome = await noteEnds(call);
    if (outcome.noted > 0) onWritten();
    return outcome;
  };
}

/** They may have written events. Who looks in vain now and then, once a second at most, loses little. */
function tellingOfNotes<Args extends readonly unknown[], T>(
  note: (...args: Args) => Promise<T>,
  { onWritten }: WatchOptions,
): (...args: Args) => Promise<T> {
  return async (...args) => {
    const outcome = await note(...args);
    onWritten();
    return outcome;
  };
}

function tellOfRenewals(outcomes: Awaited<ReturnType<Verbs['renew']>>, watchers: Watchers): void {
  for (const { onRenewed } of watchers.all) {
    if (onRenewed === undefined) continue;
    for (const { outcome } of decided(outcomes))
      if (outcome.kind === 'renewed') onRenewed(outcome.lease);
  }
}

function failureOf(error: unknown): GroupCarried['failure'] {
  if (error instanceof StoreBusy) return 'busy';
  return error instanceof RolledBack ? 'rolled-back' : 'unknown';
}
