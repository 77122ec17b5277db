package redisbus

import "example.com/hub/pkg/telemetry"

// Measure adds the metrics of the bus.
func (b *Bus) Measure(r *telemetry.Registry) { measure(r, b.Stats) }

func measure(r *telemetry.Registry, read func() Stats) {
	telemetry.Read(
		r, read,
		telemetry.Gauge("hub_bus_up", "1 while Redis takes publications and every subscription stands, else 0.",
			func(s Stats) int { return telemetry.Flag(s.Up) }),
		telemetry.Counter("hub_bus_events_published_total", "Events that Redis took.",
			func(s Stats) uint64 { return s.Published }),
		telemetry.Counter("hub_bus_events_dropped_total", "Events that were not published; they are announced again, or made up for.",
			func(s Stats) uint64 { return s.Dropped }),
		telemetry.Counter("hub_bus_events_heard_total", "Events that were heard on the bus.",
			func(s Stats) uint64 { return s.Heard }),
		telemetry.Counter("hub_bus_events_skipped_total", "Heard events of a kind that this version does not know.",
			func(s Stats) uint64 { return s.Skipped }),
		telemetry.Counter("hub_bus_bad_frames_total", "Heard publications that are no frame of Hub's.",
			func(s Stats) uint64 { return s.BadFrames }),
		telemetry.Counter("hub_bus_subscriptions_replaced_total", "Subscriptions that were lost or silent.",
			func(s Stats) uint64 { return s.Replaced }),
		telemetry.Gauge("hub_bus_queue_bytes", "Memory of events that wait to be published.",
			func(s Stats) int { return s.QueuedBytes }),
	)
}
