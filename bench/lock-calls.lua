-- The calls that wrk sends. Arguments after `--`: workload (acquire, release, pair), prefix of the names, lag.
-- wrk does not say which connection a request goes out on, so a pair releases the name that was acquired `lag` names ago:
-- far more than there are connections, so that it has been answered by then.

local headers = { ["Content-Type"] = "application/json" }
local acquire_body = '{"owner":"bench-worker-1","ttl_seconds":3600}'
local release_body = '{"owner":"bench-worker-1"}'
local workload, path, lag
local sent = 0

function init(args)
  workload, path, lag = args[1], "/api/locks/" .. args[2], tonumber(args[3])
end

local function acquire(number)
  return wrk.format("POST", path .. number, headers, acquire_body)
end

local function release(number)
  return wrk.format("DELETE", path .. number, headers, release_body)
end

-- wrk calls this once before it begins, and does not send what it gets: number 1 is never seen by the server.
function request()
  sent = sent + 1
  if workload == "acquire" then return acquire(sent) end
  if workload == "release" then return release(sent) end
  if sent % 2 == 0 then return acquire(lag + sent / 2) end
  return release((sent + 1) / 2)
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"calls":%d,"seconds":%.6f,"p50Ms":%.4f,"p99Ms":%.4f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
