package claim

import (
	"example.com/hub/pkg/redis"
	"example.com/hub/services/edge/internal/stream"
)

// Subscribe implements stream.Claims. It does not wait for Redis: what is not heard is found out by
// reconciling.
func (r *Redis) Subscribe(newer func(stream.Claim)) (cancel func()) {
	return redis.Subscribe(redis.SubscriptionDeps{
		Client:  r.deps.Client,
		Channel: r.channel,
		Heard: func(payload string) {
			// What is no claim is not Hub's.
			var c stream.Claim
			var err error
			if c.User, err = decode(&c, payload); err == nil {
				newer(c)
			}
		},
		Silence: r.deps.Silence,
		Ping:    true,
		Logger:  r.deps.Logger,
	}).Close
}
