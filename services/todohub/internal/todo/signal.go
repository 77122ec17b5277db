package todo

import (
	"context"
	"time"

	"example.com/hub/pkg/bus"
)

// maxNamed is how many changed todos of one user a call names. Of more, the user hears that several changed:
// a client fetches its lists once in any case, and one that reads slowly is not cut off.
const maxNamed = 20

// announce tells users of committed changes. The caller may be gone by then; the users still want to hear.
func (s *Service) announce(ctx context.Context, events []bus.Event) {
	if len(events) > 0 {
		s.publisher.Publish(context.WithoutCancel(ctx), bus.Frame{Events: named(events)})
	}
}

// signal appends the events of a changed item for its assignee, and for the former one where an upsert has
// given it to another.
func signal(events []bus.Event, at time.Time, id, assignee, former string) []bus.Event {
	events = append(events, bus.Event{Kind: bus.Todo, User: assignee, ID: id, Time: at})
	if former != "" {
		events = append(events, bus.Event{Kind: bus.Todo, User: former, ID: id, Time: at})
	}
	return events
}

// named puts one event without an id in the place of those of a user who has more than maxNamed.
func named(events []bus.Event) []bus.Event {
	if len(events) <= maxNamed {
		return events
	}
	counts := map[string]int{}
	for _, e := range events {
		counts[e.User]++
	}
	kept := events[:0]
	for _, e := range events {
		switch n := counts[e.User]; {
		case n > maxNamed:
			counts[e.User] = -1
			e.ID = ""
			kept = append(kept, e)
		case n > 0:
			kept = append(kept, e)
		}
	}
	return kept
}
