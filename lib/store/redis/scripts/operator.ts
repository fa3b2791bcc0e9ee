import { adopting, evictions, reading, writing, type ScriptSettings } from './common';
import { script, type Script } from './script';

/** The scripts of the people who watch. Each answers with now and its verdict. */
export interface OperatorScripts {
  readonly forceRelease: Script;
  readonly hold: Script;
  readonly askRelease: Script;
}

export function operatorScripts(settings: ScriptSettings): OperatorScripts {
  const common = [reading(settings), writing(settings), adopting, evictions, ending];
  return {
    forceRelease: script('', ...common, forceRelease),
    hold: script('', ...common, hold),
    askRelease: script('', ...common, askRelease),
  };
}

const ending = `
-- The end of a lease by an operator: cleared when it was over, reopened when it was a hold, else forced.
local function tell_end(l, actor, reason, now, request_id)
  local is_live = now < l.expires_at
  local is_forced = is_live and not l.hold_name
  tell(is_forced and 'force_released' or is_live and 'reopened' or 'cleared', now, l, { actor = actor, reason = reason,
    previous_owner = is_forced and l.owner or nil, held_ms = held_ms(l, now), request_id = request_id })
  if is_forced then evict(l, actor, reason, now) end
end

-- Puts a hold where the name's row is, or in a new one.
local function put_hold(resource, was, actor, reason, ttl_ms, now, request_id)
  local token = draw()
  local l = { resource = resource, id = was and was.id or num(token), owner = 'operator:' .. actor, acquired_at = now,
    expires_at = now + ttl_ms, renew_count = 0, ttl_ms = ttl_ms, token = token, hold_name = actor, hold_reason = reason }
  put(l, was, now)
  tell('held', now, l, { previous_owner = was and was.owner, actor = actor, reason = reason, request_id = request_id })
  return l
end
`;

/**
 * Atomically, for all of up to 500 calls: ends the leases that were seen, by their tokens, each judged alone. With a time to
 * hold, the name stays closed that long, in the same step. The arguments are seven for each call.
 */
const forceRelease = `
local now = now_ms()
local holds = 0
for i = 1, #ARGV, 7 do
  if tonumber(ARGV[i + 3]) > 0 then holds = holds + 1 end
  -- Read before anything is written: a key of another type must not stop this half-way.
  read(ARGV[i])
  evictions_of(ARGV[i])
end
local left = tokens_left()
if not left or left < holds then return unadopted(now, holds) end

local verdicts = {}
for i = 1, #ARGV, 7 do
  local resource, token, reason, hold_ms = ARGV[i], tonumber(ARGV[i + 1]), given(ARGV[i + 2]), tonumber(ARGV[i + 3])
  local only_expired, actor, request_id = ARGV[i + 4] == '1', ARGV[i + 5], given(ARGV[i + 6])
  local l = read(resource)
  local is_live = l and now < l.expires_at
  local verdict, held
  if not l then verdict = 'not-found'
  elseif l.token ~= token then verdict = 'lock-changed'
  elseif is_live and only_expired then verdict = 'still-active'
  elseif not reason and (is_live or hold_ms > 0) then verdict = 'reason-required'
  else
    verdict = 'released'
    tell_end(l, actor, reason, now, request_id)
    if hold_ms > 0 then held = put_hold(resource, l, actor, reason, hold_ms, now, request_id) else remove(l) end
  end
  verdicts[#verdicts + 1] = { verdict, l and row(l) or false, held and row(held) or false }
end
return { num(now), 'judged', verdicts }
`;

/**
 * Atomically: holds a free name, prolongs the operator's own hold, or evicts the live lease that is named and holds in its
 * place. Any other live lease stays as it is, and is the answer.
 */
const hold = `
local resource, actor, reason, ttl_ms, token = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), number(ARGV[5])
local request_id = given(ARGV[6])
local now = now_ms()
local l = read(resource)
local is_live = l and now < l.expires_at
if is_live and l.token ~= token then return { num(now), 'lock-changed', row(l) } end
evictions_of(resource)
local is_own = is_live and l.hold_name == actor
local left = tokens_left()
if not left or (left < 1 and not is_own) then return unadopted(now, 1) end

if is_own then
  local m = member(l)
  l.expires_at = math.max(l.expires_at, now + ttl_ms)
  l.ttl_ms, l.hold_reason = ttl_ms, reason
  redis.call('HSET', P .. 'lock:' .. resource, 'expires_at', num(l.expires_at), 'ttl_ms', num(ttl_ms), 'hold_reason', reason)
  outlive(l, now)
  place(l, m)
  tell('held', now, l, { actor = actor, reason = reason, request_id = request_id })
  return { num(now), 'held', row(l) }
end
if is_live then tell_end(l, actor, reason, now, request_id) end
return { num(now), 'held', row(put_hold(resource, l, actor, reason, ttl_ms, now, request_id)) }
`;

/** Atomically: asks the holder of the live lease that was seen to let go. A hold has nobody to ask. */
const askRelease = `
local resource, token, actor, reason = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local now = now_ms()
local l = read(resource)
if not l then return { num(now), 'not-found' } end
if l.token ~= token or l.hold_name or now >= l.expires_at then return { num(now), 'lock-changed', row(l) } end
if not tokens_left() then return unadopted(now, 0) end
l.asked_by, l.asked_reason, l.asked_at = actor, reason, now
redis.call('HSET', P .. 'lock:' .. resource, 'asked_by', actor, 'asked_reason', reason, 'asked_at', num(now))
tell('release_requested', now, l, { actor = actor, reason = reason, request_id = given(ARGV[5]) })
return { num(now), 'asked', row(l) }
`;
