// Package redislimit keeps the buckets of package ratelimit in Redis, where all replicas find them.
package redislimit

import (
	"context"
	"fmt"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"

	"example.com/hub/pkg/ratelimit"
)

// Store is the buckets in Redis. A call is one command on one key, so that it works in a Redis Cluster.
type Store struct {
	limiter *redis_rate.Limiter
	name    string
}

var _ ratelimit.Shared = (*Store)(nil)

// New makes a store, whose keys are "rate:NAME:limit:{client}:w" and "...:r"; NAME is hub in a
// deployment. The client stays the caller's to close, and must heed context deadlines, as one of
// package redisbus does.
func New(client redis.UniversalClient, name string) *Store {
	return &Store{limiter: redis_rate.NewLimiter(client), name: name}
}

// Take implements ratelimit.Shared.
func (s *Store) Take(ctx context.Context, client string, area ratelimit.Area, l ratelimit.Limit, cost int) (ratelimit.Taken, error) {
	r, err := s.limiter.AllowN(ctx, s.name+":limit:{"+client+"}:"+area.String()[:1],
		redis_rate.Limit{Rate: l.Rate, Burst: l.Quota(), Period: time.Second}, cost)
	if err != nil {
		return ratelimit.Taken{}, fmt.Errorf("take from a shared bucket: %w", err)
	}
	return ratelimit.Taken{Granted: r.Allowed > 0, Full: r.ResetAfter, RetryAfter: max(r.RetryAfter, 0)}, nil
}
