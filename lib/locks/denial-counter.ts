import { contentionLimits, type Denials } from './contention';
import type { AcquireCall } from './lock-store';
import type { Lease } from './lease';

/** The most owners that are counted at a time, over all resources. */
export const countedMax = 1_000;

export interface DenialCounter {
  /** @param nowMs the store's clock when it was decided. */
  add(call: Pick<AcquireCall, 'resource' | 'owner' | 'client'>, holder: Lease, nowMs: number): void;
  /** What was counted since the last time, which is then forgotten. */
  take(): readonly Denials[];
}

/**
 * Counts denied acquires in memory until the next take. However many names callers make up, it holds a bounded number:
 * beyond it the owner of the resource that was quiet longest is forgotten, and at one resource the owner that was.
 */
export function createDenialCounter(): DenialCounter {
  // Both kinds of map are in the order of the last denial.
  let byResource = new Map<string, Map<string, Denials>>();
  let counted = 0;

  function forgetOldest(resource: string, owners: Map<string, Denials>): void {
    for (const key of owners.keys()) {
      owners.delete(key);
      counted -= 1;
      break;
    }
    if (owners.size === 0) byResource.delete(resource);
  }

  function makeRoom(): void {
    for (const [resource, owners] of byResource) {
      forgetOldest(resource, owners);
      break;
    }
  }

  return {
    add({ resource, owner, client }, holder, nowMs) {
      const owners = byResource.get(resource) ?? new Map<string, Denials>();
      // No name has a control character in it.
      const key = `${owner}\u0000${client ?? ''}`;
      const known = owners.get(key);
      if (known !== undefined) {
        owners.delete(key);
        counted -= 1;
      } else if (owners.size >= contentionLimits.askersMax) {
        forgetOldest(resource, owners);
      } else if (counted >= countedMax) {
        makeRoom();
      }
      owners.set(key, {
        resource,
        owner,
        client,
        attempts: (known?.attempts ?? 0) + 1,
        firstAtMs: Math.min(known?.firstAtMs ?? nowMs, nowMs),
        lastAtMs: Math.max(known?.lastAtMs ?? nowMs, nowMs),
        holder: { owner: holder.owner, client: holder.client, fencingToken: holder.fencingToken },
      });
      counted += 1;
      byResource.delete(resource);
      byResource.set(resource, owners);
    },
    take() {
      const taken = [...byResource.values()].flatMap((owners) => [...owners.values()]);
      byResource = new Map();
      counted = 0;
      return taken;
    },
  };
}
