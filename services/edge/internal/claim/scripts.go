package claim

import "github.com/redis/go-redis/v9"

// A key's value is "time|stream|replaced|since": when its stream began, in microseconds; the stream's
// number; how often the user's stream was replaced since a time, which is at most two minutes ago at
// each replacement. Times are printed with %.0f, since Lua's own form loses the microseconds.
//
// The scripts are run with KEYS[1] = the user's key and ARGV = stream, ms to live, channel, user, and
// what each says.

// prelude reads the owner and makes the stream the owner.
const prelude = `
local id, ttl, channel, user = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local value = redis.call('GET', KEYS[1])
local owner
if value then
  local e, s, n, w = string.match(value, '^(%d+)|(%x+)|(%d+)|(%d+)$')
  if e then
    owner = {e = tonumber(e), id = s, n = tonumber(n), w = tonumber(w)}
  end
end
local function take(e)
  local n, w = 0, e
  if owner then
    if e - owner.w < 120e6 then
      n, w = math.min(owner.n + 1, 9), owner.w
    else
      n = 1
    end
  end
  local claim = string.format('%.0f|%s|%d|', e, id, n)
  value = claim .. string.format('%.0f', w)
  redis.call('SET', KEYS[1], value, 'PX', ttl)
  redis.call('PUBLISH', channel, claim .. user)
  return value
end
`

// claimScript has the time at which the stream began as ARGV[5], and the stream that it replaced at
// its edge as ARGV[6]. So streams have the order in which they began, however long their claims took;
// at one edge exactly, between edges as well as these know Redis's clock. An owner from the future was
// claimed by the clock of a replica while Redis was away; it gives no right over who comes later.
var claimScript = redis.NewScript(prelude + `
local now = redis.call('TIME')
now = now[1] * 1000000 + now[2]
local e = math.min(now, tonumber(ARGV[5]))
if owner and owner.id ~= id then
  if owner.e > now or owner.id == ARGV[6] then
    e = math.max(e, owner.e + 1)
  elseif owner.e >= e then
    return value
  end
end
return take(e)
`)

// reconcileScript has the stream's time as ARGV[5].
var reconcileScript = redis.NewScript(prelude + `
local e = tonumber(ARGV[5])
if owner then
  if owner.id == id then
    redis.call('PEXPIRE', KEYS[1], ttl)
    return value
  end
  if owner.e > e or (owner.e == e and owner.id > id) then
    return value
  end
end
return take(e)
`)

// releaseScript removes the key if it is still the stream's.
var releaseScript = redis.NewScript(`
local value = redis.call('GET', KEYS[1])
if value and string.match(value, '^%d+|(%x+)|') == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
return 1
`)
