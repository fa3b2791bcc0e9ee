import { reading, type ScriptSettings } from './common';
import { asking } from './contention';
import { script, type Script } from './script';

/** The scripts behind the list. They write nothing, and each reads so little that no lock call waits long for it. */
export interface ListScripts {
  readonly scan: Script;
  readonly byExpiry: Script;
}

export function listScripts(settings: ScriptSettings): ListScripts {
  return {
    scan: script('', reading(settings), asking, scan),
    byExpiry: script('', reading(settings), asking, byExpiry(settings)),
  };
}

/**
 * Reads one chunk of the names in their order, or against it, as of one moment: those of a range that follow a name, at
 * most so many. It answers with now, the name to go on from or nothing at the end, the counts of those under the filters, and the rows that
 * are listed: which come after the page before, and before the worst of those already had.
 */
const scan = `
local now = number(ARGV[1]) or now_ms()
local is_backwards = ARGV[2] == '1'
local kind, range, from, chunk = ARGV[3], ARGV[4], given(ARGV[5]), tonumber(ARGV[6])
local text, owner, owner_prefix = given(ARGV[7]), given(ARGV[8]), given(ARGV[9])
local client, token = given(ARGV[10]), given(ARGV[11])
local state, condition = ARGV[12], given(ARGV[13])
local field, is_descending, after_value, after_id = ARGV[14], ARGV[15] == '1', ARGV[16], number(ARGV[17])
local worst_value, worst_id, rows_max = ARGV[18], number(ARGV[19]), tonumber(ARGV[20])
local asked_min = tonumber(ARGV[21])

-- By bytes: Lua's own comparison goes by the locale of the server.
local function compare_text(a, b)
  if a == b then return 0 end
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y and -1 or 1 end
  end
  return #a < #b and -1 or 1
end
local is_text = field == 'resource' or field == 'owner'
local function compare(l, value, id)
  local by_value
  if is_text then by_value = compare_text(l[field], value) else by_value = l[field] - tonumber(value) end
  if by_value == 0 then by_value = tonumber(l.id) - id end
  if is_descending then return -by_value end
  return by_value
end

local is_filtered = text or owner or owner_prefix or client or token
local function contains(field_text) return field_text and string.find(field_text, text, 1, true) end
-- Asked before the whole row is read: most that are searched through do not pass.
local function passes(name)
  if not is_filtered then return true end
  local v = redis.pcall('HMGET', P .. 'lock:' .. name, 'owner', 'client', 'fencing_token')
  return not v['err'] and v[1] and (not text or contains(name) or contains(v[1]) or contains(v[2]))
    and (not owner or v[1] == owner) and (not client or v[2] == client) and (not token or v[3] == token)
    and (not owner_prefix or string.sub(v[1], 1, #owner_prefix) == owner_prefix)
end

-- No byte of UTF-8 is 255: it is above every name with the prefix.
local lowest, highest = '-', '+'
if kind == 'exact' then lowest, highest = '[' .. range, '[' .. range
elseif kind == 'prefix' and range ~= '' then lowest, highest = '[' .. range, '(' .. range .. '\\255' end
local names
if is_backwards then
  names = redis.call('ZREVRANGEBYLEX', P .. 'names', from and '(' .. from or highest, lowest, 'LIMIT', 0, chunk)
else
  names = redis.call('ZRANGEBYLEX', P .. 'names', from and '(' .. from or lowest, highest, 'LIMIT', 0, chunk)
end

local active, expired, expiring, silent, closed, asked = 0, 0, 0, 0, 0, 0
local rows = {}
local may_be = may_be_asked(names, now)
for _, name in ipairs(names) do
  local l = (asked_min == 0 or may_be[name]) and passes(name) and read_any(name)
  local owners = l and may_be[name] and #askers_of(name, l, now) or 0
  if l and owners >= asked_min then
    if owners > 0 then asked = asked + 1 end
    local is_active = now < l.expires_at
    local is
    if is_active then
      active = active + 1
      local silent_from, expiring_from, expiring_until = conditions(l)
      if l.hold_name then
        is = 'closed'
        closed = closed + 1
      elseif silent_from and silent_from <= now then
        is = 'silent'
        silent = silent + 1
      elseif expiring_from and expiring_from <= now and now < expiring_until then
        is = 'expiring'
        expiring = expiring + 1
      end
    else
      expired = expired + 1
    end
    local is_listed = (state == 'all' or (state == 'active') == is_active) and (not condition or condition == is)
    if is_listed and #rows < rows_max and (not after_id or compare(l, after_value, after_id) > 0)
      and (not worst_id or compare(l, worst_value, worst_id) < 0) then
      rows[#rows + 1] = { row(l), owners > 0 and contention_of(l, now) or false }
    end
  end
end
return { num(now), #names == chunk and names[#names] or false,
  { num(active), num(expired), num(expiring), num(silent), num(closed), num(asked) }, rows }
`;

/**
 * Reads a page by expiry and the counts of all locks from the indexes, as of one moment. What is under no filter costs the
 * same however many locks there are. Rows that ended longer ago than they are kept are as good as gone.
 */
const byExpiry = ({ expiredMsMax }: ScriptSettings) => `
local now = now_ms()
local state, is_descending, wanted = ARGV[1], ARGV[2] == '1', tonumber(ARGV[3])
local after_value, after_id = number(ARGV[4]), number(ARGV[5])
local expires = P .. 'expires'
local function upto(index, score) return redis.call('ZCOUNT', P .. index, '-inf', score) end
local function within(index) return upto(index .. ':from', num(now)) - upto(index .. ':until', num(now)) end

local size = redis.call('ZCARD', expires)
local gone = upto('expires', num(now - ${String(expiredMsMax)}))
local over = upto('expires', num(now))

-- The ranks that the state leaves, then those that follow the page before.
local first, last = gone, size - 1
if state == 'active' then first = over elseif state == 'expired' then last = over - 1 end
if after_id then
  -- Among equal expiries members are in the order of their ids, which they begin with.
  local low, high = upto('expires', '(' .. num(after_value)), upto('expires', num(after_value))
  while low < high do
    local middle = math.floor((low + high) / 2)
    local id = tonumber(string.sub(redis.call('ZRANGE', expires, middle, middle)[1], 1, 16))
    if id < after_id or (id == after_id and not is_descending) then low = middle + 1 else high = middle end
  end
  if is_descending then last = math.min(last, low - 1) else first = math.max(first, low) end
end

local rows = {}
-- A key that somebody removed has left its place: then a little further, within bounds.
for _ = 1, 10 do
  if first > last or #rows >= wanted then break end
  local from, to = first, math.min(last, first + wanted - #rows - 1)
  if is_descending then from, to = math.max(first, last - (wanted - #rows) + 1), last end
  local members = redis.call(is_descending and 'ZREVRANGE' or 'ZRANGE', expires,
    is_descending and size - 1 - to or from, is_descending and size - 1 - from or to)
  for _, m in ipairs(members) do
    local l = read_any(string.sub(m, 17))
    if l and is_at(l, m) then rows[#rows + 1] = { row(l), contention_of(l, now) } end
  end
  if is_descending then last = from - 1 else first = to + 1 end
end

local closed = redis.call('ZCOUNT', P .. 'closed', '(' .. num(now), '+inf')
return { num(now), { num(size - over), num(over - gone), num(within('expiring')), num(within('silent')), num(closed),
  num(redis.call('ZCARD', P .. 'asked')) }, rows }
`;
