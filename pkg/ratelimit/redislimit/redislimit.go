// Package redislimit keeps the buckets of package ratelimit in Redis, where all replicas find them.
package redislimit

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"example.com/hub/pkg/ratelimit"
)

// Store is the buckets in Redis. A call is one command on one key, so that it works in a Redis Cluster.
type Store struct {
	client redis.UniversalClient
	name   string
}

var _ ratelimit.Shared = (*Store)(nil)

// New makes a store, whose keys are "NAME:limit:{client}:w" and "...:r"; NAME is hub in a deployment.
// The client stays the caller's to close, and must heed context deadlines, as one of package redisbus
// does.
func New(client redis.UniversalClient, name string) *Store {
	return &Store{client: client, name: name}
}

// nano is what ratelimit.Answer counts more finely than Redis, whose clock has microseconds.
const nano = 1000

// Take implements ratelimit.Shared.
func (s *Store) Take(ctx context.Context, client string, area ratelimit.Area, l ratelimit.Limit, ask ratelimit.Ask) (ratelimit.Answer, error) {
	keys := []string{s.name + ":limit:{" + client + "}:" + area.String()[:1]}
	reply, err := take.Run(ctx, s.client, keys, l.Rate, l.Quota(), ask.Cost, ask.Ahead, ask.Back, ask.From).Int64Slice()
	if err != nil {
		return ratelimit.Answer{}, fmt.Errorf("take from a shared bucket: %w", err)
	}
	if len(reply) != 4 {
		return ratelimit.Answer{}, errors.New("take from a shared bucket: not four numbers")
	}
	return ratelimit.Answer{Granted: reply[0] == 1, Ahead: int(reply[1]), Level: reply[2] * nano, Time: reply[3]}, nil
}

// take decides by Redis's clock. A key's value is "level|time|filled": millionths of a unit, and when
// that was and when the bucket was last full, in microseconds. All are whole numbers below 2^53, which
// Lua's numbers hold exactly. A key that is missing is a full bucket, so keys end when theirs is. A
// clock that was set back, as by a failover, adds nothing and takes nothing.
//
// ARGV is units per second, units of a full bucket, cost, ahead, back, from.
var take = redis.NewScript(`
local rate, quota, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local ahead, back, from = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local full = quota * 1e6
local now = redis.call('TIME')
now = now[1] * 1e6 + now[2]

local level, filled = full, now
local value = redis.call('GET', KEYS[1])
if value then
  local l, at, f = string.match(value, '^(-?%d+)|(%d+)|(%d+)$')
  if l then
    level = tonumber(l) + math.max(now - tonumber(at), 0) * rate
    if level < full then
      filled = tonumber(f)
    end
  end
end
if from >= filled then
  level = level + back * 1e6
end
level = math.min(level, full)

local granted, extra = 0, 0
if level >= math.min(cost * 1e6, full) then
  granted = 1
  level = level - cost * 1e6
  extra = math.max(math.min(ahead, math.floor(level / 2e6)), 0)
  level = level - extra * 1e6
end
local ttl = math.ceil((full - level) / rate / 1e3)
redis.call('SET', KEYS[1], string.format('%.0f|%.0f|%.0f', level, now, filled), 'PX', math.max(ttl, 1))
return {granted, extra, level, now}
`)
