-- Puts a key if it is absent, by etcd's HTTP gateway. Arguments after `--`: the prefix of the keys in base64 (a multiple
-- of three bytes), and the lease to attach.

local headers = { ["Content-Type"] = "application/json" }
local prefix, lease
local sent = 0

function init(args)
  prefix, lease = args[1], args[2]
end

-- Eight digits are six bytes in base64, so that numbers need no encoding.
function request()
  sent = sent + 1
  local key = prefix .. string.format("%08d", sent)
  local body = '{"compare":[{"key":"' .. key .. '","target":"CREATE","result":"EQUAL","create_revision":"0"}],'
    .. '"success":[{"request_put":{"key":"' .. key .. '","value":"YmVuY2gtd29ya2VyLTE=","lease":"' .. lease .. '"}}]}'
  return wrk.format("POST", "/v3/kv/txn", headers, body)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"calls":%d,"seconds":%.6f,"p50Ms":%.4f,"p99Ms":%.4f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
