import { StoreUnavailable } from '../../locks/errors';
import { StoreBusy, unavailable } from '../errors';
import type { Adopt } from './adoption';
import type { RedisLink, Reply, ScriptCall } from './link';
import { verdictOf, whole } from './rows';

const roundsMax = 20;

/**
 * Runs scripts; those that found no block of tokens for this run of Redis wrote nothing, and run again after it was adopted.
 *
 * @throws StoreBusy when no call took effect, and another try may go through.
 */
export async function runAdopting(
  { link, adopt }: { readonly link: RedisLink; readonly adopt: Adopt },
  calls: readonly ScriptCall[],
): Promise<readonly Reply[]> {
  const replies = [...(await link.run(calls))];
  const isAllBusy = replies.every((reply) => !reply.ok && reply.failure instanceof StoreBusy);
  const [first] = replies;
  if (isAllBusy && first?.ok === false) throw first.failure;

  for (let round = 0; round < roundsMax; round += 1) {
    const places = replies.flatMap((reply, place) => (isUnadopted(reply) ? [place] : []));
    if (places.length === 0) return replies;
    try {
      await adopt(Math.max(...places.map((place) => tokensWanted(replies[place]))));
      const again = places.flatMap((place) => calls[place] ?? []);
      const rerun = await link.run(again);
      places.forEach((place, index) => {
        const reply = rerun[index];
        if (reply !== undefined) replies[place] = reply;
      });
    } catch (error) {
      if (places.length === replies.length) throw error;
      for (const place of places) replies[place] = { ok: false, failure: unavailable(error) };
    }
  }
  return replies.map((reply) => (isUnadopted(reply) ? { ok: false, failure: noBlock() } : reply));
}

function noBlock(): StoreUnavailable {
  return new StoreUnavailable('No block of fencing tokens lasted');
}

function isUnadopted(reply: Reply): boolean {
  return reply.ok && Array.isArray(reply.value) && reply.value[1] === 'unadopted';
}

function tokensWanted(reply: Reply | undefined): number {
  return reply?.ok === true ? whole.parse(verdictOf(reply.value).rest[0]) : 0;
}
