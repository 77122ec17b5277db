package claim

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/hub/services/edge/internal/stream"
)

// The pause before a lost subscription is replaced doubles between these while Redis stays away.
const (
	minPause = 50 * time.Millisecond
	maxPause = 2 * time.Second
)

// Subscribe implements stream.Claims. It does not wait for Redis: what is not heard is found out by
// reconciling.
func (r *Redis) Subscribe(newer func(stream.Claim)) (cancel func()) {
	ctx, stop := context.WithCancel(context.Background())
	var listening sync.WaitGroup
	listening.Go(func() { r.listen(ctx, newer) })
	return func() {
		stop()
		listening.Wait()
	}
}

// listen hears the channel until ctx ends, over as many connections as it takes.
func (r *Redis) listen(ctx context.Context, newer func(stream.Claim)) {
	lost := false
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		stood, err := r.session(ctx, newer)
		if ctx.Err() != nil {
			return
		}
		if stood {
			pause, lost = minPause, false
		}
		if !lost {
			lost = true
			r.deps.Logger.WarnContext(ctx, "claims are not heard", slog.Any("error", err))
		}
		t := time.NewTimer(pause/2 + rand.N(pause))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}

// session hears one connection until it fails or falls silent; stood tells whether it was confirmed.
// Redis closes no connection that a firewall has forgotten, so the answers to pings tell that it is
// alive.
func (r *Redis) session(ctx context.Context, newer func(stream.Claim)) (stood bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	ps := r.deps.Client.Subscribe(ctx)
	var pinging sync.WaitGroup
	defer func() {
		cancel()
		pinging.Wait()
	}()
	// A blocked read does not heed ctx.
	hangUp := sync.OnceFunc(func() { _ = ps.Close() })
	defer hangUp()
	defer context.AfterFunc(ctx, hangUp)()

	if err := r.subscribe(ctx, ps); err != nil {
		return false, err
	}
	pinging.Go(func() { r.ping(ctx, ps) })
	for {
		msg, err := ps.ReceiveTimeout(ctx, r.deps.Silence)
		if err != nil {
			return stood, err
		}
		switch msg := msg.(type) {
		case *redis.Subscription:
			stood = true
		case *redis.Message:
			// What is no claim is not Hub's.
			var c stream.Claim
			if c.User, err = decode(&c, msg.Payload); err == nil {
				newer(c)
			}
		}
	}
}

func (r *Redis) subscribe(ctx context.Context, ps *redis.PubSub) error {
	ctx, cancel := context.WithTimeout(ctx, r.deps.Silence)
	defer cancel()
	return ps.Subscribe(ctx, r.channel)
}

// ping asks for a sign of life, often enough to get one within Silence.
func (r *Redis) ping(ctx context.Context, ps *redis.PubSub) {
	tick := time.NewTicker(r.deps.Silence * 2 / 5)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = ps.Ping(ctx) // the reader finds out
		case <-ctx.Done():
			return
		}
	}
}
