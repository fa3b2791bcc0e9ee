import { adopting, reading, type ScriptSettings } from './common';
import { script, type Script } from './script';

/** The scripts by which an instance makes a run of Redis fit to be written to. */
export interface AdoptScripts {
  /** What the server that has the keys says of itself; in a cluster, any other server would answer to the command. */
  readonly info: Script;
  readonly ask: Script;
  readonly adopt: Script;
}

/** Another instance that is reserving a block is given so long before it is taken for dead. */
const reservingMsMax = 2_000;

export function adoptScripts(settings: ScriptSettings): AdoptScripts {
  return {
    info: script('no-writes', `return redis.call('INFO')`),
    ask: script('', reading(settings), adopting, ask),
    adopt: script('', reading(settings), adopting, adopt),
  };
}

const serverClock = `local t = redis.call('TIME')
local at = t[1] * 1000 + math.floor(t[2] / 1000)`;

/**
 * Atomically: says whether so many tokens are left, else notes who reserves the next block, unless another is just doing so.
 * It answers with the ids of the run that the block will be for. A key that somebody gave another type is named.
 */
const ask = `
local process, nonce, count = ARGV[1], ARGV[1] .. ':' .. ARGV[2], tonumber(ARGV[3])
${serverClock}
local types = { tokens = 'hash', turns = 'hash', events = 'stream', names = 'zset', expires = 'zset', ends = 'zset',
  closed = 'zset', asked = 'zset', untold = 'zset',
  ['silent:from'] = 'zset', ['silent:until'] = 'zset', ['expiring:from'] = 'zset', ['expiring:until'] = 'zset' }
for name, wanted in pairs(types) do
  local found = redis.call('TYPE', P .. name)['ok']
  if found ~= 'none' and found ~= wanted then return { 'wrong-type', P .. name, found } end
end
local left = tokens_left()
if left and left >= math.max(count, 1) then return { 'ready' } end
local wanted = redis.call('HMGET', P .. 'tokens', 'wanted_by', 'wanted_at')
local is_others = wanted[1] and string.sub(wanted[1], 1, #process) ~= process
if is_others and at >= tonumber(wanted[2]) and at < tonumber(wanted[2]) + ${String(reservingMsMax)} then
  return { 'wait' }
end
redis.call('HSET', P .. 'tokens', 'wanted_by', nonce, 'wanted_at', num(at))
local run, replication = identity()
return { 'asked', run, replication }
`;

/**
 * Atomically: installs a block that was reserved for this very run, by whoever asked last. A block that comes late is
 * refused, for larger tokens may have been granted meanwhile, and so is one that is no larger than the one before. Events written from here on have ids above all that the
 * database has been given, whatever this server's clock says.
 */
const adopt = `
local nonce, run, replication, first, last = ARGV[1] .. ':' .. ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local saved_ms, saved_seq = tonumber(ARGV[7]), tonumber(ARGV[8])
local is_run, is_replication = identity()
if run ~= is_run or replication ~= is_replication then return { 'refused' } end
local v = redis.call('HMGET', P .. 'tokens', 'wanted_by', 'last')
if v[1] ~= nonce then return { 'refused' } end
-- Also a block of another run was there first: the database has been restored to an earlier moment.
if v[2] and tonumber(first) <= tonumber(v[2]) then return { 'refused' } end

local stream_ms, stream_seq = 0, 0
if redis.call('EXISTS', P .. 'events') == 1 then
  local info = redis.call('XINFO', 'STREAM', P .. 'events')
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then
      local ms, seq = string.match(info[i + 1], '(%d+)-(%d+)')
      stream_ms, stream_seq = tonumber(ms), tonumber(seq)
    end
  end
end
if saved_ms > stream_ms or (saved_ms == stream_ms and saved_seq > stream_seq) then
  local id = num(saved_ms) .. '-' .. num(saved_seq)
  redis.call('XADD', P .. 'events', id, 'e', '')
  redis.call('XDEL', P .. 'events', id)
end
redis.call('DEL', P .. 'tokens')
redis.call('HSET', P .. 'tokens', 'run', run, 'replication', replication, 'next', first, 'last', last)
return { 'adopted' }
`;
