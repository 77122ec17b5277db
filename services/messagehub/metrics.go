package messagehub

import "example.com/hub/pkg/telemetry"

// Measure adds the metrics of the announcements and of what was removed.
func (s *Service) Measure(r *telemetry.Registry) {
	measure(r, s.Stats)
	s.old.Measure(r)
}

func measure(r *telemetry.Registry, read func() Stats) {
	telemetry.Read(
		r, read,
		telemetry.Counter("hub_outbox_announced_total", "Changes that were announced right after their commit.",
			func(s Stats) uint64 { return s.Announced }),
		telemetry.Counter("hub_outbox_swept_total", "Announcements of changes that nobody had heard of.",
			func(s Stats) uint64 { return s.Swept }),
		telemetry.Counter("hub_outbox_repeated_total", "Changes that were heard on the bus again.",
			func(s Stats) uint64 { return s.Repeated }),
		telemetry.Counter("hub_outbox_errors_total", "Sweeps that failed.",
			func(s Stats) uint64 { return s.Errors }),
		telemetry.Gauge("hub_outbox_leader", "1 in the process that sweeps, else 0.",
			func(s Stats) int { return telemetry.Flag(s.Leader) }),
		telemetry.Gauge("hub_outbox_lag_seconds", "Age of the oldest change that is not known to be heard and final, at the leader.",
			func(s Stats) float64 { return s.WatermarkLag.Seconds() }),
		telemetry.Counter("hub_outbox_trimmed_total", "Old rows that were removed from the event log.",
			func(s Stats) uint64 { return s.Removed }),
		telemetry.Gauge("hub_outbox_trim_lag_seconds", "By how much the oldest row of the event log may be over its hour, at the leader.",
			func(s Stats) float64 { return s.TrimLag.Seconds() }),
		telemetry.Gauge("hub_outbox_log_bytes", "What the event log takes on the disk, with its index, at the leader.",
			func(s Stats) int64 { return s.LogBytes }),
	)
}
