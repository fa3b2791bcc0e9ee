import { checkNumber, checkResource } from '../arguments.js';
import { queryOf } from '../client.js';
import { pathOf } from '../core.js';
import type {
  CheckAnswer,
  Event,
  InspectAnswer,
  ListAnswer,
  Lock,
  LockEventsAnswer,
} from '../wire.js';
import type { Api } from './api.js';
import { only, parseWhole, type Arguments } from './options.js';
import { print, printJson, say } from './print.js';
import { duration, shown, table } from './text.js';
import { exitCodes } from './usage.js';

const pageMax = 500;

export async function ls(api: Api, given: Arguments): Promise<number> {
  only(given, []);
  const limit = given.whole('limit') ?? 100;
  const locks: Lock[] = [];
  let cursor: string | undefined;
  do {
    const query = {
      prefix: given.text('prefix'),
      q: given.text('q'),
      owner: given.text('owner'),
      state: given.text('state'),
      sort: 'resource',
      limit: Math.min(pageMax, limit - locks.length),
      cursor,
    };
    const page = await api.read<ListAnswer>(`/api/locks${queryOf(query)}`);
    locks.push(...(page?.locks ?? []));
    cursor = page?.next_cursor ?? undefined;
  } while (cursor !== undefined && locks.length < limit);

  if (given.flag('json')) printJson({ locks });
  else if (given.flag('names')) print(locks.map(({ resource }) => `${shown(resource)}\n`).join(''));
  else print(table(lockHead, locks.map(lockRow)));
  if (cursor !== undefined) say(`There are more than ${limit}: --limit`);
  return exitCodes.ok;
}

const lockHead = ['NAME', 'OWNER', 'TOKEN', 'STATE', 'LEFT', 'CLIENT'];

function lockRow(lock: Lock): string[] {
  const { resource, owner, fencing_token: token, client } = lock;
  const left = lock.state === 'active' ? duration(lock.remaining_ms) : '-';
  return [resource, owner, String(token), lock.condition ?? lock.state, left, client ?? '-'];
}

export async function show(api: Api, given: Arguments): Promise<number> {
  const [name = ''] = only(given, ['NAME']);
  const answer = await api.read<InspectAnswer>(pathOf(checkResource(name)));
  if (given.flag('json')) printJson(answer?.lock ?? null);
  if (answer === undefined) {
    say(`Nobody holds ${name}`);
    return exitCodes.no;
  }
  if (!given.flag('json')) print(described(answer.lock));
  return exitCodes.ok;
}

function described(lock: Lock): string {
  const { held_by_operator: hold, release_requested: asked } = lock;
  const lines: [string, string][] = [
    ['name', lock.resource],
    ['owner', lock.owner],
    ['client', lock.client ?? '-'],
    ['token', String(lock.fencing_token)],
    ['state', lock.condition === null ? lock.state : `${lock.state}, ${lock.condition}`],
    ['acquired', lock.acquired_at],
    ['expires', `${lock.expires_at} (in ${duration(lock.remaining_ms)})`],
    ['renewed', `${lock.renew_count} times`],
    ...(hold === null ? [] : [['held by', `${hold.name}: ${hold.reason}`] as [string, string]]),
    ...(asked === null ? [] : [['asked', `${asked.by}: ${asked.reason}`] as [string, string]]),
    ...Object.entries(lock.metadata ?? {}),
  ];
  return lines.map(([key, value]) => `${shown(key).padEnd(10)} ${shown(value)}\n`).join('');
}

export async function history(api: Api, given: Arguments): Promise<number> {
  const [name = ''] = only(given, ['NAME']);
  const query = queryOf({ limit: Math.min(given.whole('limit') ?? 20, pageMax) });
  const path = `${pathOf(checkResource(name), '/events')}${query}`;
  const events = (await api.read<LockEventsAnswer>(path))?.events ?? [];
  if (given.flag('json')) printJson({ events });
  else print(table(eventHead, events.map(eventRow)));
  return exitCodes.ok;
}

const eventHead = ['AT', 'WHAT', 'OWNER', 'TOKEN', 'BY', 'REASON'];

function eventRow(event: Event): string[] {
  return [
    event.at,
    event.kind,
    event.owner ?? '-',
    String(event.fencing_token ?? '-'),
    event.actor ?? event.client ?? '-',
    event.reason ?? '-',
  ];
}

export async function check(api: Api, given: Arguments): Promise<number> {
  const [name = '', token = ''] = only(given, ['NAME', 'TOKEN']);
  const fencingToken = checkNumber(parseWhole(token, 'TOKEN'), 'TOKEN', 1, true);
  const path = pathOf(checkResource(name), '/check');
  const answer = await api.write<CheckAnswer>(path, { fencing_token: fencingToken });
  if (given.flag('json')) printJson(answer);
  else {
    const current = answer.fencing_token === null ? 'none' : String(answer.fencing_token);
    print(`${answer.valid ? 'valid' : 'not valid'}: ${answer.state}, current token ${current}\n`);
  }
  return answer.valid ? exitCodes.ok : exitCodes.no;
}
