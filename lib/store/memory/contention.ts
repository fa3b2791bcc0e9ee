import {
  contentionLimits,
  type Asker,
  type Contention,
  type Denials,
  type TidyAgain,
} from '../../locks/contention';
import type { Lease } from '../../locks/lease';
import type { SeenLease } from '../../locks/lock-store';
import { writeEvent, type MemoryTables } from './tables';

const { askingMs, toldEveryMs, askersMax, askersShownMax } = contentionLimits;

/** Adds to what is known, keeps the latest askers of each resource, and tells the history once in a while. */
export function noteDenials(
  tables: MemoryTables,
  denials: readonly Denials[],
  nowMs: number,
): void {
  for (const { resource, holder, ...asker } of denials) {
    const known = tables.contended.get(resource);
    const isLater = known === undefined || holder.fencingToken >= known.holder.fencingToken;
    tables.contended.set(resource, {
      askers: withAsker(known?.askers ?? [], asker),
      holder: isLater ? holder : known.holder,
      untold: (known?.untold ?? 0) + asker.attempts,
      toldAtMs: known?.toldAtMs ?? null,
    });
  }
  for (const resource of new Set(denials.map((denied) => denied.resource))) {
    tell(tables, resource, nowMs);
  }
}

/** Tells what has become due, and forgets whoever asks no more. */
export function tidyDenials(tables: MemoryTables, nowMs: number): TidyAgain {
  for (const [resource, contended] of tables.contended) {
    tell(tables, resource, nowMs);
    contended.askers = contended.askers.filter((asker) => isAsking(asker, nowMs));
    const isTold = contended.untold === 0 && nowMs - (contended.toldAtMs ?? nowMs) >= askingMs;
    if (isTold && contended.askers.length === 0) tables.contended.delete(resource);
  }
  return tables.contended.size > 0 ? 'later' : 'never';
}

/** Who asks for a resource, the longest first. Its own holder asks no more. */
export function askersOf(tables: MemoryTables, resource: string, nowMs: number): Asker[] {
  return askersBut(tables, resource, nowMs)
    .sort((a, b) => a.firstAtMs - b.firstAtMs || compareAskers(a, b))
    .slice(0, askersShownMax);
}

/** A lease with who asks for it, if anybody does. */
export function seen(tables: MemoryTables, lease: Lease, nowMs: number): SeenLease {
  const contention = contentionOf(tables, lease.resource, nowMs);
  return contention === null ? lease : { ...lease, contention };
}

export function contentionOf(
  tables: MemoryTables,
  resource: string,
  nowMs: number,
): Contention | null {
  const [last, ...others] = latestFirst(askersBut(tables, resource, nowMs));
  if (last === undefined) return null;
  return {
    attempts: others.reduce((sum, { attempts }) => sum + attempts, last.attempts),
    owners: others.length + 1,
    lastOwner: last.owner,
    lastAtMs: last.lastAtMs,
  };
}

function askersBut({ contended, leases }: MemoryTables, resource: string, nowMs: number): Asker[] {
  const holder = leases.get(resource);
  return (contended.get(resource)?.askers ?? []).filter(
    (asker) => isAsking(asker, nowMs) && !(holder !== undefined && isSame(asker, holder)),
  );
}

function isAsking({ lastAtMs }: Asker, nowMs: number): boolean {
  return lastAtMs > nowMs - askingMs;
}

type Party = Pick<Asker, 'owner' | 'client'>;

function isSame(one: Party, other: Party): boolean {
  return one.owner === other.owner && one.client === other.client;
}

/** Whoever paused for a minute begins anew. */
function withAsker(askers: readonly Asker[], more: Asker): readonly Asker[] {
  const known = askers.find((asker) => isSame(asker, more));
  const isNew = known === undefined || known.lastAtMs <= more.firstAtMs - askingMs;
  const asker: Asker = {
    ...more,
    attempts: (isNew ? 0 : known.attempts) + more.attempts,
    firstAtMs: isNew ? more.firstAtMs : Math.min(known.firstAtMs, more.firstAtMs),
    lastAtMs: Math.max(known?.lastAtMs ?? 0, more.lastAtMs),
  };
  return latestFirst([...askers.filter((other) => other !== known), asker]).slice(0, askersMax);
}

function latestFirst(askers: readonly Asker[]): readonly Asker[] {
  return askers.toSorted((a, b) => b.lastAtMs - a.lastAtMs || compareAskers(a, b));
}

function compareAskers(a: Party, b: Party): number {
  return (
    Buffer.compare(Buffer.from(a.owner), Buffer.from(b.owner)) ||
    Buffer.compare(Buffer.from(a.client ?? ''), Buffer.from(b.client ?? ''))
  );
}

function tell(tables: MemoryTables, resource: string, nowMs: number): void {
  const contended = tables.contended.get(resource);
  if (contended === undefined || contended.untold === 0) return;
  if (contended.toldAtMs !== null && contended.toldAtMs > nowMs - toldEveryMs) return;
  writeEvent(tables, {
    resource,
    ...contended.holder,
    atMs: nowMs,
    kind: 'contended',
    count: contended.untold,
    requestId: null,
  });
  contended.untold = 0;
  contended.toldAtMs = nowMs;
}
