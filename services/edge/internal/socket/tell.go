package socket

import (
	"context"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/life"
	"example.com/hub/services/edge/internal/stream"
)

func (b *Broker) gap(epoch uint32) {
	b.epoch.Store(epoch)
	b.counter.all()
}

// deliver tells the sockets of the frame's users that are here what is for them. It waits for no client.
func (b *Broker) deliver(f bus.Frame, a stream.Arrival) {
	var part []*client
	var text []byte
	for i := range f.Events {
		e := &f.Events[i]
		part = b.users.of(part[:0], e.User)
		if len(part) == 0 {
			continue
		}
		switch e.Kind {
		case bus.Message:
			text = appendEvent(text[:0], Created, e)
			b.tell(part, a, Created, text)
			b.counter.changed(e.User)
		case bus.Read:
			b.counter.changed(e.User)
		case bus.Todo:
			text = appendEvent(text[:0], TodoChanged, e)
			b.tell(part, a, TodoChanged, text)
		}
	}
}

// tell tells sockets of an event, those that it is for.
func (b *Broker) tell(part []*client, a stream.Arrival, kind Kind, text []byte) {
	for _, c := range part {
		if c.epoch >= a.From && c.epoch < a.To && c.event(kind, text) {
			b.sent[kind].Add(1)
		}
	}
}

// told tells the sockets of a user her count.
func (b *Broker) told(u *user, unread int64) {
	text := appendUnread(nil, unread, b.deps.Clock())
	for _, c := range b.users.clientsOf(u) {
		if c.count(unread, text) {
			b.sent[Unread].Add(1)
		}
	}
}

// lookAgain is called when events of todos may have been missed.
func (b *Broker) lookAgain() {
	select {
	case b.missed <- struct{}{}:
	default:
	}
}

// look has the sockets with todos look again after that, until ctx ends. They are told over a heartbeat
// interval, since each client fetches its lists then.
func (b *Broker) look(ctx context.Context) {
	for {
		select {
		case <-b.missed:
		case <-ctx.Done():
			return
		}
		all := b.users.all()
		life.Spread(ctx, len(all), b.deps.Heartbeat, func(i int) {
			text := appendEvent(nil, TodoChanged, &bus.Event{Time: b.deps.Clock()})
			if all[i].event(TodoChanged, text) {
				b.sent[TodoChanged].Add(1)
			}
		})
	}
}
