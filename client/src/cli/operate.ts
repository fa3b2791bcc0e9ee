import { checkResource } from '../arguments.js';
import { pathOf } from '../core.js';
import type { ForceReleaseAnswer, InspectAnswer, RenewAnswer } from '../wire.js';
import type { Api } from './api.js';
import { only, type Arguments } from './options.js';
import { print, printJson } from './print.js';
import { duration, shown } from './text.js';
import { exitCodes, UsageError } from './usage.js';

/** Ends the lease that was seen: its token says which. Without one, it says which there is, and does nothing. */
export async function forceRelease(api: Api, given: Arguments): Promise<number> {
  const [name = ''] = only(given, ['NAME']);
  const resource = checkResource(name);
  const token = given.whole('token');
  if (token === undefined) throw new UsageError(await howToName(api, resource));
  const holdMs = given.duration('hold') ?? 0;
  const answer = await api.write<ForceReleaseAnswer>(pathOf(resource, '/force-release'), {
    fencing_token: token,
    reason: given.text('reason'),
    ...(holdMs === 0 ? {} : { hold_seconds: Math.ceil(holdMs / 1_000) }),
  });
  if (given.flag('json')) printJson(answer);
  else {
    const { owner, remaining_ms: leftMs } = answer.released;
    print(`Released ${shown(resource)}, which ${shown(owner)} held.\n`);
    const isCovered = holdMs >= leftMs;
    if (!isCovered) {
      print(`Its process was not stopped, and may work on for ${duration(leftMs)} or more.\n`);
    }
  }
  return exitCodes.ok;
}

async function howToName(api: Api, resource: string): Promise<string> {
  const answer = await api.read<InspectAnswer>(`${pathOf(resource)}?include=expired`);
  if (answer === undefined) return `Nobody holds ${resource}`;
  const { owner, fencing_token: token, remaining_ms: leftMs } = answer.lock;
  return `${owner} holds ${resource} for ${duration(leftMs)} more. To end that lease: --token ${token}`;
}

export async function hold(api: Api, given: Arguments): Promise<number> {
  const [name = ''] = only(given, ['NAME']);
  const reason = given.text('reason');
  if (reason === undefined) throw new UsageError('Give --reason: those who wait will read it');
  const resource = checkResource(name);
  const { lock } = await api.write<RenewAnswer>(pathOf(resource, '/hold'), {
    reason,
    ttl_ms: given.duration('ttl') ?? 3_600_000,
    fencing_token: given.whole('token'),
  });
  if (given.flag('json')) printJson(lock);
  else
    print(`${shown(resource)} is closed until ${lock.expires_at}, token ${lock.fencing_token}.\n`);
  return exitCodes.ok;
}
