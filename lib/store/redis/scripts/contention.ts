import { contentionLimits } from '../../../locks/contention';
import { adopting, reading, writing, type ScriptSettings } from './common';
import { script, type Script } from './script';

/** The scripts that remember denied acquires, and tell of them. Nobody waits for them. */
export interface ContentionScripts {
  readonly noteDenials: Script;
  readonly tidyDenials: Script;
  readonly askers: Script;
  readonly countAsked: Script;
  readonly noteRenewals: Script;
}

export function contentionScripts(settings: ScriptSettings): ContentionScripts {
  const common = [reading(settings), writing(settings), adopting, asking, telling];
  return {
    noteDenials: script('', ...common, noteDenials),
    tidyDenials: script('', ...common, tidyDenials),
    askers: script('', reading(settings), asking, askers),
    countAsked: script('', reading(settings), asking, countAsked),
    noteRenewals: script('', reading(settings), writing(settings), adopting, noteRenewals),
  };
}

const { askingMs, toldEveryMs, askersMax } = contentionLimits;
/** The most resources that one tidying looks at: it keeps no lock call waiting for long. */
const tidiedMax = 100;

/**
 * Who asks for a lock stands in a hash of its own, which ends soon after the last of them: a field for each asker, `holder`
 * (whose lease denied the last), `untold` (how many attempts the history has not been told of) and `told_at`. The index
 * `asked` has each such name by the last that happened to it.
 */
export const asking = `
local function asked_key(resource) return P .. 'asked:' .. resource end

local function asker_of(field, value)
  local client, owner = string.match(field, '^a(.-)%z(.*)$')
  if not owner then return nil end
  local attempts, first_at, last_at = string.match(value, '^(%d+) (%d+) (%d+)$')
  return { field = field, owner = owner, client = given(client), attempts = tonumber(attempts),
    first_at = tonumber(first_at), last_at = tonumber(last_at) }
end

-- Those who were denied in the last minute, but for whoever holds the lock by now.
local function askers_of(resource, l, now)
  local found = {}
  local seen = redis.pcall('HGETALL', asked_key(resource))
  for i = 1, #seen, 2 do
    local a = asker_of(seen[i], seen[i + 1])
    local is_holder = a and l and a.owner == l.owner and a.client == l.client
    if a and a.last_at > now - ${String(askingMs)} and not is_holder then found[#found + 1] = a end
  end
  return found
end

-- Strings by their bytes: Lua's own comparison goes by the locale of the server.
local function is_before(one, other)
  for i = 1, math.min(#one, #other) do
    local x, y = string.byte(one, i), string.byte(other, i)
    if x ~= y then return x < y end
  end
  return #one < #other
end
local function is_later(one, other)
  if one.last_at ~= other.last_at then return one.last_at > other.last_at end
  if one.owner ~= other.owner then return is_before(one.owner, other.owner) end
  return is_before(one.client or '', other.client or '')
end

-- All who ask for a lock, in short, as it is sent; false if nobody does.
local function contention_of(l, now)
  local attempts, owners, last = 0, 0, nil
  for _, a in ipairs(askers_of(l.resource, l, now)) do
    attempts, owners = attempts + a.attempts, owners + 1
    if not last or is_later(a, last) then last = a end
  end
  return last and { num(attempts), num(owners), last.owner, num(last.last_at) } or false
end

-- Of these names, those that may have askers: what is not in the index has none.
local function may_be_asked(names, now)
  local found = {}
  if #names == 0 or redis.call('ZCOUNT', P .. 'asked', '(' .. num(now - ${String(askingMs)}), '+inf') == 0 then return found end
  for i, at in ipairs(redis.call('ZMSCORE', P .. 'asked', unpack(names))) do
    if at then found[names[i]] = true end
  end
  return found
end
`;

const telling = `
-- Tells the history of a name's denials, if that is due; what is not yet due stands in the index 'untold' by when it is.
local function tell_denials(resource, now)
  local key = asked_key(resource)
  local v = redis.call('HMGET', key, 'untold', 'told_at', 'holder')
  local untold, told_at = number(v[1]), number(v[2])
  if not untold or untold == 0 then
    redis.call('ZREM', P .. 'untold', resource)
    return
  end
  if told_at and told_at > now - ${String(toldEveryMs)} then
    redis.call('ZADD', P .. 'untold', num(told_at + ${String(toldEveryMs)}), resource)
    return
  end
  local holder = cjson.decode(v[3])
  redis.call('HSET', key, 'untold', '0', 'told_at', num(now))
  redis.call('ZREM', P .. 'untold', resource)
  redis.call('ZADD', P .. 'asked', 'GT', num(now), resource)
  tell('contended', now, { resource = resource, owner = holder[1], client = given(holder[2]),
    token = tonumber(holder[3]) }, { count = untold })
end
`;

/**
 * Atomically: adds what was counted, keeps the latest askers of each name, and tells the history of what is due. The
 * arguments are nine for each asker.
 */
const noteDenials = `
local now = now_ms()
if not tokens_left() then return unadopted(now, 0) end
local names = {}
for i = 1, #ARGV, 9 do
  local resource = ARGV[i]
  names[resource] = names[resource] or {}
  table.insert(names[resource], i)
end
for resource, places in pairs(names) do
  local key = asked_key(resource)
  local kept, count = {}, 0
  local seen = redis.call('HGETALL', key)
  local untold, holder = 0, nil
  for i = 1, #seen, 2 do
    local a = asker_of(seen[i], seen[i + 1])
    if a then kept[a.field], count = a, count + 1
    elseif seen[i] == 'untold' then untold = tonumber(seen[i + 1])
    elseif seen[i] == 'holder' then holder = cjson.decode(seen[i + 1]) end
  end
  local changed, latest = {}, 0
  for _, i in ipairs(places) do
    local field = 'a' .. ARGV[i + 2] .. '\\0' .. ARGV[i + 1]
    local attempts, first_at, last_at = tonumber(ARGV[i + 3]), tonumber(ARGV[i + 4]), tonumber(ARGV[i + 5])
    local a = kept[field]
    untold = math.min(untold + attempts, 2147483647)
    latest = math.max(latest, last_at)
    if not a then count = count + 1 end
    -- Whoever paused for a minute begins anew.
    if a and a.last_at > first_at - ${String(askingMs)} then
      attempts, first_at = math.min(a.attempts + attempts, 2147483647), math.min(a.first_at, first_at)
    end
    last_at = math.max(a and a.last_at or 0, last_at)
    kept[field] = { field = field, owner = ARGV[i + 1], client = given(ARGV[i + 2]), attempts = attempts,
      first_at = first_at, last_at = last_at }
    changed[field] = true
    if not holder or tonumber(ARGV[i + 8]) >= tonumber(holder[3]) then
      holder = { ARGV[i + 6], ARGV[i + 7], ARGV[i + 8] }
    end
  end
  if count > ${String(askersMax)} then
    local all = {}
    for _, a in pairs(kept) do all[#all + 1] = a end
    table.sort(all, is_later)
    for i = ${String(askersMax)} + 1, #all do
      redis.call('HDEL', key, all[i].field)
      changed[all[i].field] = nil
    end
  end
  for field in pairs(changed) do
    local a = kept[field]
    redis.call('HSET', key, field, num(a.attempts) .. ' ' .. num(a.first_at) .. ' ' .. num(a.last_at))
  end
  redis.call('HSET', key, 'untold', num(untold), 'holder', cjson.encode(holder))
  -- Much longer than it is of use: it is removed before that, unless nobody is left to do it.
  redis.call('PEXPIRE', key, ${String(60 * askingMs)})
  redis.call('ZADD', P .. 'asked', 'GT', num(latest), resource)
  tell_denials(resource, now)
end
return { num(now), 'noted' }
`;

/** Atomically: tells what is due, and forgets the names that nobody asks for any more, some of them. */
const tidyDenials = `
local now = now_ms()
if not tokens_left() then return unadopted(now, 0) end
local function some(index, until_ms)
  return redis.call('ZRANGEBYSCORE', P .. index, '-inf', num(until_ms), 'LIMIT', 0, ${String(tidiedMax)})
end
local due = some('untold', now)
for _, resource in ipairs(due) do tell_denials(resource, now) end
local over = some('asked', now - ${String(askingMs)})
for _, resource in ipairs(over) do
  redis.call('DEL', asked_key(resource))
  redis.call('ZREM', P .. 'asked', resource)
end
local again = 'never'
if #due == ${String(tidiedMax)} or #over == ${String(tidiedMax)} then again = 'now'
elseif redis.call('EXISTS', P .. 'asked', P .. 'untold') > 0 then again = 'later' end
return { num(now), 'tidied', again }
`;

/** Reads who asks for a name, its holder aside. */
const askers = `
local now = now_ms()
local found = {}
for _, a in ipairs(askers_of(ARGV[1], read(ARGV[1]), now)) do
  found[#found + 1] = { a.owner, a.client or false, num(a.attempts), num(a.first_at), num(a.last_at) }
end
return { num(now), found }
`;

/** Counts the locks that somebody asks for, among one chunk of the names that may be. */
const countAsked = `
local now, from, chunk = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local names = redis.call('ZRANGE', P .. 'asked', from, from + chunk - 1)
local asked = 0
for _, name in ipairs(names) do
  local l = read_any(name)
  if l and #askers_of(name, l, now) > 0 then asked = asked + 1 end
end
return { num(asked), num(#names) }
`;

/** Tells the history of renewals, as the rows have decided. The arguments are eight for each. */
const noteRenewals = `
local now = now_ms()
if not tokens_left() then return unadopted(now, 0) end
for i = 1, #ARGV, 8 do
  local lease = { resource = ARGV[i], owner = ARGV[i + 1], client = given(ARGV[i + 2]), token = tonumber(ARGV[i + 3]),
    expires_at = tonumber(ARGV[i + 6]) }
  tell('renewed', tonumber(ARGV[i + 5]), lease, { count = tonumber(ARGV[i + 4]), held_ms = tonumber(ARGV[i + 7]) })
end
return { num(now), 'noted' }
`;
