import { silentGapMsMin } from '../../../locks/lease';
import { limits } from '../../../locks/limits';

/** What the scripts are made for. */
export interface ScriptSettings {
  /** Before every key. Its braces are a hash tag: all keys are in one slot, as one script needs. */
  readonly prefix: string;
  /** A Lua chunk that returns now in milliseconds; only tests give another than `redisClock`. */
  readonly clock: string;
  /**
   * How long after its lease Redis keeps a lock by itself, in milliseconds: longer than the retention, by which it is
   * removed once its end is on record.
   */
  readonly expiredMsMax: number;
  /** The most events that wait to be saved in the database; beyond, the oldest are lost. */
  readonly streamLengthMax: number;
}

/** The clock of Redis. TIME gives seconds and microseconds. */
export const redisClock = `local t = redis.call('TIME')
return t[1] * 1000 + math.floor(t[2] / 1000)`;

/** The order in which a lock's row is read from its hash and sent; the resource is in the key. */
const hashFields = [
  'id',
  'owner',
  'client',
  'acquired_at',
  'expires_at',
  'renewed_at',
  'renew_count',
  'ttl_ms',
  'fencing_token',
  'hold_name',
  'hold_reason',
  'asked_by',
  'asked_reason',
  'asked_at',
  'metadata',
  'noted',
];

/**
 * Names, the clock, and the reading of a row. A key of another type fails the first command that reads it, before anything
 * is written. Numbers travel as text: Lua's own conversion would round them to 14 digits.
 */
export function reading({ prefix, clock }: ScriptSettings): string {
  const fields = hashFields.map((field) => `'${field}'`).join(', ');
  return `
local P = '${prefix}'
local function now_ms()
${clock}
end
local function num(n) return string.format('%.0f', n) end
-- An empty argument stands for none: no owner, reason or client is empty.
local function given(text) if text ~= '' then return text end end
local function number(text) if text and text ~= '' then return tonumber(text) end end

-- Lua has no null in a list: false travels as one.
local function row(l)
  return { l.id, l.resource, l.owner, l.client or false, num(l.acquired_at), num(l.expires_at),
    l.renewed_at and num(l.renewed_at) or false, num(l.renew_count), num(l.ttl_ms), num(l.token),
    l.hold_name or false, l.hold_reason or false, l.asked_by or false, l.asked_reason or false,
    l.asked_at and num(l.asked_at) or false, l.metadata or false }
end

local function parsed(resource, v)
  if v['err'] or not v[1] then return nil end
  return { resource = resource, id = v[1], owner = v[2], client = v[3] or nil, acquired_at = tonumber(v[4]),
    expires_at = tonumber(v[5]), renewed_at = number(v[6]), renew_count = tonumber(v[7]), ttl_ms = tonumber(v[8]),
    token = tonumber(v[9]), hold_name = v[10] or nil, hold_reason = v[11] or nil, asked_by = v[12] or nil,
    asked_reason = v[13] or nil, asked_at = number(v[14]), metadata = v[15] or nil,
    is_noted = v[16] and true or nil }
end
-- The lock of a name, over or not; nil if there is none.
local function read(resource)
  return parsed(resource, redis.call('HMGET', P .. 'lock:' .. resource, ${fields}))
end
-- The same where many are read: a key that somebody gave another type must not fail all others.
local function read_any(resource)
  return parsed(resource, redis.pcall('HMGET', P .. 'lock:' .. resource, ${fields}))
end
-- Whether the lock is the one that a member of an index by number stands for.
local function is_at(l, m) return tonumber(l.id) == tonumber(string.sub(m, 1, 16)) end

-- From when on a lock is silent and expiring, as intervals of the clock that end before the second bound. A lock is silent
-- past twice its usual renew gap, and expiring under a fifth of its TTL unless it is silent.
local function conditions(l)
  if l.hold_name then return nil end
  local silent_from
  if l.renewed_at and l.renew_count > 0 then
    local gaps = math.max(l.renewed_at - l.acquired_at, ${String(silentGapMsMin)} * l.renew_count)
    silent_from = l.renewed_at + math.floor(2 * gaps / l.renew_count) + 1
    if silent_from >= l.expires_at then silent_from = nil end
  end
  local expiring_from = l.expires_at - math.ceil(l.ttl_ms / 5) + 1
  local expiring_until = silent_from or l.expires_at
  if expiring_from >= expiring_until then expiring_from = nil end
  return silent_from, expiring_from, expiring_until
end

-- The client is part of ownership; a lock without one, from before there was access control, is its owner's alone. A hold
-- is nobody's own.
local function same_client(kept, client) return not kept or kept == client end
local function owns(l, owner, client, token)
  return not l.hold_name and l.owner == owner and same_client(l.client, client) and (not token or l.token == token)
end
`;
}

/** The places of a row in the indexes. */
const indexing = `
-- In indexes by number, members begin with the id in 16 digits, so that ties are in its order.
local function member(l) return string.rep('0', 16 - #l.id) .. l.id .. l.resource end

local function forget_conditions(l, m)
  local silent_from, expiring_from = conditions(l)
  if silent_from then redis.call('ZREM', P .. 'silent:from', m) redis.call('ZREM', P .. 'silent:until', m) end
  if expiring_from then redis.call('ZREM', P .. 'expiring:from', m) redis.call('ZREM', P .. 'expiring:until', m) end
  if l.hold_name then redis.call('ZREM', P .. 'closed', m) end
end

local function place(l, m)
  redis.call('ZADD', P .. 'expires', num(l.expires_at), m)
  if not l.is_noted then redis.call('ZADD', P .. 'ends', num(l.expires_at), m) end
  if l.hold_name then
    redis.call('ZADD', P .. 'closed', num(l.expires_at), m)
    return
  end
  local silent_from, expiring_from, expiring_until = conditions(l)
  if silent_from then
    redis.call('ZADD', P .. 'silent:from', num(silent_from), m)
    redis.call('ZADD', P .. 'silent:until', num(l.expires_at), m)
  end
  if expiring_from then
    redis.call('ZADD', P .. 'expiring:from', num(expiring_from), m)
    redis.call('ZADD', P .. 'expiring:until', num(expiring_until), m)
  end
end

local function remove(l)
  local m = member(l)
  redis.call('DEL', P .. 'lock:' .. l.resource)
  redis.call('ZREM', P .. 'names', l.resource)
  redis.call('ZREM', P .. 'expires', m)
  redis.call('ZREM', P .. 'ends', m)
  forget_conditions(l, m)
end
`;

/** The changes of a row with its places in the indexes, and the lines of the history. */
export function writing({ expiredMsMax, streamLengthMax }: ScriptSettings): string {
  return `${indexing}
-- No lock without an expiry: the key outlives the lease, so that the dashboard can show what ran out.
local function outlive(l, now)
  redis.call('PEXPIRE', P .. 'lock:' .. l.resource, num(math.max(0, l.expires_at - now) + ${String(expiredMsMax)}))
end

-- Puts a new lease where the name's row was, or in a new row.
local function put(l, was, now)
  local key = P .. 'lock:' .. l.resource
  if was then
    redis.call('DEL', key)
    forget_conditions(was, member(was))
  else
    redis.call('ZADD', P .. 'names', 0, l.resource)
  end
  local fields = { 'id', l.id, 'owner', l.owner, 'acquired_at', num(l.acquired_at), 'expires_at', num(l.expires_at),
    'renew_count', '0', 'ttl_ms', num(l.ttl_ms), 'fencing_token', num(l.token) }
  local function also(name, value)
    if value then fields[#fields + 1] = name fields[#fields + 1] = value end
  end
  also('client', l.client)
  also('metadata', l.metadata)
  also('hold_name', l.hold_name)
  also('hold_reason', l.hold_reason)
  redis.call('HSET', key, unpack(fields))
  outlive(l, now)
  place(l, member(l))
end

local function held_ms(l, now) return math.max(0, math.min(now, l.expires_at) - l.acquired_at) end

-- A line of the history, in the order of the table's columns. It is in the same atomic step as the change.
local function tell(kind, now, l, more)
  local null = cjson.null
  local function whole(n) if n then return num(n) end return null end
  redis.call('XADD', P .. 'events', 'MAXLEN', '~', ${String(streamLengthMax)}, '*', 'e', cjson.encode({
    num(now), kind, l.resource, l.owner, num(l.token), whole(l.expires_at), more.previous_owner or null,
    l.client or null, more.actor or null, more.reason or null, whole(more.count), whole(more.held_ms), more.request_id or null, null }))
end
`;
}

/** Whether this Redis may be written to, and the drawing of tokens. */
export const adopting = `
-- The ids of this life of this server, and of the history of data that it leads. A restart makes another run id, a
-- failover another replication id: then what is in memory may be older than what was granted.
local function identity()
  local info = redis.call('INFO', 'server', 'replication')
  return string.match(info, '\\nrun_id:(%x+)') or '', string.match(info, '\\nmaster_replid:(%x+)') or ''
end

-- How many tokens are left of the block that was reserved in the database for this very run; nil if there is none.
local function tokens_left()
  local v = redis.call('HMGET', P .. 'tokens', 'run', 'replication', 'next', 'last')
  if not v[1] then return nil end
  local run, replication = identity()
  if v[1] ~= run or v[2] ~= replication then return nil end
  return tonumber(v[4]) - tonumber(v[3]) + 1
end

local function draw() return redis.call('HINCRBY', P .. 'tokens', 'next', 1) - 1 end

-- Nothing was written: a block must be reserved first, with so many tokens at least.
local function unadopted(now, count)
  return { num(now), 'unadopted', num(count) }
end
`;

/**
 * The leases that a person ended, by name and token, for a day; a key of its own, since they outlive the lock. Beside
 * them stands which of the evicted owners was granted the lock again since.
 */
export const evictions = `
local told_ms = ${String(limits.forcedMemoryMs)}

local function evictions_of(resource)
  local found = {}
  local seen = redis.call('HGETALL', P .. 'evicted:' .. resource)
  for i = 1, #seen, 2 do
    if string.sub(seen[i], 1, 1) == 't' then
      local v = cjson.decode(seen[i + 1])
      found[#found + 1] = { token = tonumber(string.sub(seen[i], 2)), owner = v[1], client = given(v[2]), by = v[3],
        reason = given(v[4]), at = tonumber(v[5]), noticed = v[6] == '1' }
    end
  end
  return found
end

local function keep_eviction(resource, e)
  redis.call('HSET', P .. 'evicted:' .. resource, 't' .. num(e.token),
    cjson.encode({ e.owner, e.client or '', e.by, e.reason or '', num(e.at), e.noticed and '1' or '' }))
end

local function evict(l, actor, reason, now)
  local key = P .. 'evicted:' .. l.resource
  for _, e in ipairs(evictions_of(l.resource)) do
    if e.at + told_ms <= now then redis.call('HDEL', key, 't' .. num(e.token)) end
  end
  keep_eviction(l.resource, { token = l.token, owner = l.owner, client = l.client, by = actor, reason = reason, at = now })
  -- A minute longer than it is told: the clock of the keys must not forget it early.
  redis.call('PEXPIRE', key, num(told_ms + 60000))
end

local function grant_field(owner, client) return 'g' .. (client or '') .. '\\0' .. owner end

-- An owner that was granted the lock again knows of the end before that.
local function note_grant(l, evicted)
  for _, e in ipairs(evicted) do
    if e.owner == l.owner then
      redis.call('HSET', P .. 'evicted:' .. l.resource, grant_field(l.owner, l.client), num(l.token))
      return
    end
  end
end

-- The newest eviction that concerns the caller; without a token none before its newest grant.
local function find_eviction(resource, owner, client, token, now)
  local newest
  for _, e in ipairs(evictions_of(resource)) do
    local concerns = e.owner == owner and same_client(e.client, client) and (not token or e.token == token)
    if concerns and (not newest or e.token > newest.token) then newest = e end
  end
  if not newest or newest.at + told_ms <= now then return nil end
  if token then return newest end
  local grants = redis.call('HMGET', P .. 'evicted:' .. resource, grant_field(owner, client), grant_field(owner, nil))
  for _, granted in ipairs(grants) do
    if granted and tonumber(granted) > newest.token then return nil end
  end
  return newest
end
`;
