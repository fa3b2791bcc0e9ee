import { renewalsToldEveryMs } from '../../../locks/renewals';
import { adopting, evictions, reading, writing, type ScriptSettings } from './common';
import { asking } from './contention';
import { script, type Script } from './script';

/** The scripts of the services that hold locks. Each decides one call, and answers with now and its verdict. */
export interface LeaseScripts {
  readonly acquire: Script;
  readonly renew: Script;
  readonly release: Script;
  readonly inspect: Script;
}

export function leaseScripts(settings: ScriptSettings): LeaseScripts {
  const common = [reading(settings), writing(settings), adopting, evictions];
  return {
    acquire: script('', ...common, acquire),
    // What keeps or ends a lease goes on when the memory is full.
    renew: script('allow-oom', ...common, renew),
    release: script('allow-oom', ...common, release),
    inspect: script('', reading(settings), asking, inspect),
  };
}

/**
 * Atomically: grants a free name, takes an expired row over in place, grants the same owner and client anew. Of a lock that
 * another holds nothing is written, and the answer is its row. The token is drawn in the same step as the grant.
 */
const acquire = `
local resource, owner, client, ttl_ms = ARGV[1], ARGV[2], given(ARGV[3]), tonumber(ARGV[4])
local now = now_ms()
local was = read(resource)
local is_live = was and now < was.expires_at
if is_live and not owns(was, owner, client, nil) then return { num(now), 'held', row(was) } end
local evicted = evictions_of(resource)
local left = tokens_left()
if not left or left < 1 then return unadopted(now, 1) end

local token = draw()
local lease = { resource = resource, id = was and was.id or num(token), owner = owner, client = client, acquired_at = now,
  expires_at = now + ttl_ms, renew_count = 0, ttl_ms = ttl_ms, token = token, metadata = given(ARGV[5]) }
put(lease, was, now)
note_grant(lease, evicted)
tell(not was and 'acquired' or is_live and 'reacquired' or 'claimed', now, lease,
  { previous_owner = was and was.owner, held_ms = was and held_ms(was, now), request_id = given(ARGV[6]) })
return { num(now), 'granted', lease.id, num(token) }
`;

/**
 * Atomically: extends what the caller still holds, and changes nothing else; never makes a row, nor a lease shorter.
 * Whoever was evicted by a person in the last day is told by whom; that it noticed is written down the first time.
 */
const renew = `
-- How many renewals the history is to be told of; false when it is not time yet. It stands in the row, so that of all
-- instances one is told.
local function renewals_due(l, now)
  if l.acquired_at > now - ${String(renewalsToldEveryMs)} then return false end
  local key = P .. 'lock:' .. l.resource
  local v = redis.call('HMGET', key, 'renewals_told_at', 'renewals_told')
  if v[1] and tonumber(v[1]) > now - ${String(renewalsToldEveryMs)} then return false end
  redis.call('HSET', key, 'renewals_told_at', num(now), 'renewals_told', num(l.renew_count))
  return num(l.renew_count - (number(v[2]) or 0))
end

local resource, owner, client, ttl_ms, token = ARGV[1], ARGV[2], given(ARGV[3]), tonumber(ARGV[4]), number(ARGV[5])
local now = now_ms()
local l = read(resource)
if l and owns(l, owner, client, token) then
  if now >= l.expires_at then return { num(now), 'expired' } end
  local m = member(l)
  forget_conditions(l, m)
  l.expires_at = math.max(l.expires_at, now + ttl_ms)
  l.renewed_at, l.renew_count, l.ttl_ms = now, l.renew_count + 1, ttl_ms
  redis.call('HSET', P .. 'lock:' .. resource, 'expires_at', num(l.expires_at), 'renewed_at', num(now),
    'renew_count', num(l.renew_count), 'ttl_ms', num(ttl_ms))
  outlive(l, now)
  place(l, m)
  return { num(now), 'renewed', row(l), renewals_due(l, now) }
end
local forced = find_eviction(resource, owner, client, token, now)
if forced and not forced.noticed then
  if not tokens_left() then return unadopted(now, 0) end
  forced.noticed = true
  keep_eviction(resource, forced)
  tell('noticed', now, { resource = resource, owner = forced.owner, client = forced.client, token = forced.token },
    { request_id = given(ARGV[6]) })
end
return { num(now), l and 'lost' or 'not-found', forced and { forced.by, forced.reason or false, num(forced.at) } or false }
`;

/**
 * Atomically: compares, and removes what the caller still holds. Late, twice or by another: nothing is written. In two
 * steps a pause between them would remove the lease of whoever claimed the lock meanwhile.
 */
const release = `
local resource, owner, client, token = ARGV[1], ARGV[2], given(ARGV[3]), number(ARGV[4])
local now = now_ms()
local l = read(resource)
if not l then return { num(now), 'not-found' } end
if not owns(l, owner, client, token) then return { num(now), 'not-owner' } end
if now >= l.expires_at then return { num(now), 'expired' } end
if not tokens_left() then return unadopted(now, 0) end
remove(l)
tell('released', now, l, { held_ms = held_ms(l, now), request_id = given(ARGV[5]) })
return { num(now), 'released' }
`;

/** Reads the row of a name, over or not, who asks for it, and now. Nothing is written. */
const inspect = `
local now = now_ms()
local l = read(ARGV[1])
return { num(now), l and row(l) or false, l and contention_of(l, now) or false }
`;
