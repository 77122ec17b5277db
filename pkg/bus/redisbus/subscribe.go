package redisbus

import (
	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/redis"
)

// Subscribe implements bus.Subscriber. It returns when Redis has confirmed the subscription; while
// Redis is away it returns after Deps.Timeout, and the subscription is made later.
func (b *Bus) Subscribe(h bus.Handler) (cancel func()) {
	s := b.subscribe(h)
	if s == nil {
		return func() {}
	}
	s.Wait(b.deps.Timeout)
	return func() {
		b.mu.Lock()
		delete(b.subs, s)
		b.mu.Unlock()
		s.Close()
	}
}

// subscribe keeps the subscription for Close; nil means that the bus is closed.
func (b *Bus) subscribe(h bus.Handler) *redis.Subscription {
	var events []bus.Event // reused for every frame
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return nil
	}
	s := redis.Subscribe(redis.SubscriptionDeps{
		Client:  b.deps.Client,
		Channel: b.channel,
		Heard:   func(encoded string) { events = b.hear(h, events[:0], encoded) },
		Stands:  h.Gap,
		Lost:    func() { b.stats.replaced.Add(1) },
		Timeout: b.deps.Timeout,
		Silence: b.deps.Silence,
		Logger:  b.deps.Logger,
	})
	b.subs[s] = struct{}{}
	return s
}

// hear hands a frame over, unless it is a probe or has only events that this version does not know. It
// returns the events, whose memory is for the next frame.
func (b *Bus) hear(h bus.Handler, events []bus.Event, encoded string) []bus.Event {
	f, skipped, err := decode(events, encoded)
	if err != nil {
		b.stats.badFrames.Add(1)
		return events
	}
	b.stats.skipped.Add(uint64(skipped))
	b.stats.heard.Add(uint64(len(f.Events)))
	if len(f.Events) > 0 || !f.Position.IsZero() || !f.Watermark.IsZero() {
		h.Frame(f)
	}
	return f.Events
}
