import { z } from 'zod';

import { tidyAgain } from '../../locks/contention';
import { denialRider, renewalRider, type LockVerbs } from '../lock-verbs';
import type { Adopt } from './adoption';
import type { RedisLink, ScriptCall } from './link';
import { verdictOf } from './rows';
import { runAdopting } from './run-adopting';
import type { Scripts } from './scripts/all';
import type { Script } from './scripts/script';

interface NotesOptions {
  readonly link: RedisLink;
  readonly scripts: Scripts;
  readonly adopt: Adopt;
  /** A key of the store, for its place in a cluster. */
  readonly key: string;
}

type Notes = Pick<LockVerbs, 'noteDenials' | 'noteRenewals' | 'tidyDenials'>;

/** What was counted beside the calls is written down, each group by one script. */
export function createNotes(options: NotesOptions): Notes {
  const { scripts, key } = options;
  async function run(script: Script, args: ScriptCall['args']) {
    const [reply] = await runAdopting(options, [{ script, key, args }]);
    if (reply?.ok === false) throw reply.failure;
    return verdictOf(reply?.value);
  }
  return {
    async noteDenials(denials) {
      await run(scripts.noteDenials, denials.map(denialRider).flatMap(denialArgs));
    },
    async noteRenewals(notes) {
      await run(scripts.noteRenewals, notes.map(renewalRider).flatMap(renewalArgs));
    },
    async tidyDenials() {
      const { rest } = await run(scripts.tidyDenials, []);
      return z.enum(tidyAgain).parse(rest[0]);
    },
  };
}

// In the order in which the scripts read them. An empty argument stands for none.
function denialArgs(rider: ReturnType<typeof denialRider>): ScriptCall['args'] {
  const { resource, owner, client, attempts, firstAtMs, lastAtMs } = rider;
  const holder = [rider.holderOwner, rider.holderClient ?? '', rider.fencingToken];
  return [resource, owner, client ?? '', attempts, firstAtMs, lastAtMs, ...holder];
}

function renewalArgs(rider: ReturnType<typeof renewalRider>): ScriptCall['args'] {
  const { resource, owner, client, fencingToken, count, atMs, expiresAtMs, heldMs } = rider;
  return [resource, owner, client ?? '', fencingToken, count, atMs, expiresAtMs, heldMs];
}
