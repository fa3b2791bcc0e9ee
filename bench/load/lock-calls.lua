-- The calls that wrk sends. Arguments after `--`: workload (acquire, release, pair, hot), the prefix of the names, and the
-- API key (or nothing).

local headers = { ["Content-Type"] = "application/json" }
local acquire_body = '{"owner":"bench-worker-1","ttl_seconds":3600}'
local other_body = '{"owner":"bench-worker-2","ttl_seconds":3600}'
local release_body = '{"owner":"bench-worker-1"}'
local threads = {}
local workload, path
local sent = 0
local granted = {}

-- Global, so that `done` can ask a thread for it.
denied = 0

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  workload, path = args[1], "/api/locks/" .. args[2]
  if args[3] then headers["Authorization"] = "Bearer " .. args[3] end
  -- Reading answers costs time, so only the workload that needs them does.
  if workload == "pair" then response = remember_grant end
end

-- wrk does not say which connection a request goes out on, so a pair releases whatever an answer has granted.
function remember_grant(status, _, body)
  if status ~= 200 then return end
  if string.find(body, '"acquired":true', 1, true) then
    granted[#granted + 1] = string.match(body, '"resource":"[^"]-(%d+)"')
  else
    denied = denied + 1
  end
end

local function acquire(number)
  return wrk.format("POST", path .. number, headers, acquire_body)
end

local function release(number)
  return wrk.format("DELETE", path .. number, headers, release_body)
end

-- wrk calls this once before it begins, and does not send what it gets: number 1 is never seen by the server.
function request()
  if workload == "pair" and #granted > 0 then return release(table.remove(granted)) end
  sent = sent + 1
  if workload == "release" then return release(sent) end
  if workload == "hot" then return wrk.format("POST", path .. "hot", headers, other_body) end
  return acquire(sent)
end

function done(summary, latency)
  local errors = summary.errors
  local refused = errors.status
  for _, thread in ipairs(threads) do refused = refused + thread:get("denied") end
  io.write(string.format(
    '\nRESULT {"calls":%d,"seconds":%.6f,"p50Ms":%.4f,"p99Ms":%.4f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    refused, errors.connect + errors.read + errors.write + errors.timeout))
end
