import { adopting, evictions, reading, writing, type ScriptSettings } from './common';
import { script, type Script } from './script';

/** The scripts of the work beside the calls: ends are noted, and what is old is forgotten. */
export interface UpkeepScripts {
  readonly ended: Script;
  readonly noteEnds: Script;
  readonly forgetLocks: Script;
  readonly neededEvents: Script;
}

export function upkeepScripts(settings: ScriptSettings): UpkeepScripts {
  const common = [reading(settings), writing(settings)];
  return {
    ended: script('', reading(settings), ended),
    noteEnds: script('', ...common, adopting, turns, noteEnds),
    // What makes room goes on when the memory is full.
    forgetLocks: script('allow-oom', ...common, turns, forgetLocks(settings)),
    neededEvents: script('', reading(settings), evictions, neededEvents),
  };
}

/** Whoever holds the turn keeps it; another takes it when it has lapsed, or was taken later than the clock knows of. */
const turns = `
local function take_turn(task, holder, turn_ms, now)
  local v = redis.call('HMGET', P .. 'turns', task .. ':holder', task .. ':taken', task .. ':lapses')
  local is_free = not v[1] or v[1] == holder or tonumber(v[3]) <= now or tonumber(v[2]) > now
  if is_free then
    redis.call('HSET', P .. 'turns', task .. ':holder', holder, task .. ':taken', num(now),
      task .. ':lapses', num(now + turn_ms))
  end
  return is_free
end
`;

/**
 * Reads the leases that are over and not noted, the earliest end first. The index has no others; a place that was left
 * behind by a key that somebody removed is passed over, within bounds.
 */
const ended = `
local since, wanted = number(ARGV[1]), tonumber(ARGV[2])
local now = now_ms()
local found = {}
for page = 0, 9 do
  local members = redis.call('ZRANGEBYSCORE', P .. 'ends', since and '(' .. num(since) or '-inf', num(now),
    'LIMIT', page * wanted, wanted)
  for _, m in ipairs(members) do
    local l = read_any(string.sub(m, 17))
    if l and is_at(l, m) and #found < wanted then found[#found + 1] = { l.resource, num(l.token) } end
  end
  if #members < wanted or #found >= wanted then break end
end
return { num(now), found }
`;

/**
 * Atomically: takes the turn, and notes each end once. What is another lease by now, or alive after all, is left alone. The
 * row keeps that it was noted, so that neither a second sweeper nor a clock that is set back writes another line.
 */
const noteEnds = `
local holder, turn_ms = ARGV[1], tonumber(ARGV[2])
local now = now_ms()
if not tokens_left() then return unadopted(now, 0) end
if not take_turn('note-ends', holder, turn_ms, now) then return { num(now), 'others' } end
local noted = 0
for i = 3, #ARGV, 2 do
  local l = read_any(ARGV[i])
  if l and l.token == tonumber(ARGV[i + 1]) and not l.is_noted and now >= l.expires_at then
    l.is_noted = true
    redis.call('HSET', P .. 'lock:' .. l.resource, 'noted', '1')
    redis.call('ZREM', P .. 'ends', member(l))
    tell(l.hold_name and 'reopened' or 'expired', now, l, { held_ms = held_ms(l, now) })
    noted = noted + 1
  end
end
return { num(now), 'ours', num(noted) }
`;

/**
 * Atomically: takes the turn, and removes rows whose lease ended before the retention and is on record as over. With them go
 * the places of keys that Redis has forgotten by itself.
 */
const forgetLocks = ({ expiredMsMax }: ScriptSettings) => `
local holder, turn_ms, retention_ms, batch = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local now = now_ms()
if not take_turn('forget', holder, turn_ms, now) then return { num(now), 'others' } end
local removed = 0
local members = redis.call('ZRANGEBYSCORE', P .. 'expires', '-inf', '(' .. num(now - retention_ms), 'LIMIT', 0, batch)
for _, m in ipairs(members) do
  local resource = string.sub(m, 17)
  local l = read_any(resource)
  if not l or not is_at(l, m) then
    if not l then redis.call('ZREM', P .. 'names', resource) end
    for _, index in ipairs({ 'expires', 'ends', 'closed', 'silent:from', 'silent:until', 'expiring:from', 'expiring:until' }) do
      redis.call('ZREM', P .. index, m)
    end
  elseif l.is_noted or l.expires_at <= now - ${String(expiredMsMax)} then
    remove(l)
    removed = removed + 1
  end
end
return { num(now), 'ours', num(removed) }
`;

/**
 * Reads which events are needed still: those of a lease that has a row, and those of one whose owner is still told that a
 * person ended it. The arguments are a name and a token for each.
 */
const neededEvents = `
local now = now_ms()
local needed = {}
for i = 1, #ARGV, 2 do
  local resource, token = ARGV[i], tonumber(ARGV[i + 1])
  local l = read_any(resource)
  local is_needed = l and l.token == token
  if not is_needed then
    local kept = redis.pcall('HGET', P .. 'evicted:' .. resource, 't' .. num(token))
    is_needed = type(kept) == 'string' and now < tonumber(cjson.decode(kept)[5]) + told_ms
  end
  needed[#needed + 1] = is_needed and 1 or 0
end
return { num(now), needed }
`;
