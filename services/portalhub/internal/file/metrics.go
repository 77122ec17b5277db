package file

import "example.com/hub/pkg/telemetry"

// Stats are the counts since New.
type Stats struct {
	// Stored counts uploads that were kept, and Refused those whose bytes or name are not.
	Stored, Refused uint64
	// Away counts calls to the blobs that failed, and Missing reads of files whose bytes are lost.
	Away, Missing uint64
	// Removed counts uploads that were cut, of which a sweep removed what was left.
	Removed uint64
	// Swept is when a sweep last came to its end, in seconds since 1970; 0 is never.
	Swept int64
}

// Stats reads the counters.
func (s *Service) Stats() Stats {
	return Stats{
		Stored: s.stored.Load(), Refused: s.refused.Load(), Away: s.away.Load(), Missing: s.missing.Load(),
		Removed: s.removed.Load(), Swept: s.swept.Load(),
	}
}

// Measure adds the metrics of files.
func (s *Service) Measure(r *telemetry.Registry) {
	telemetry.Read(
		r, s.Stats,
		telemetry.Counter("hub_files_stored_total", "Files that were uploaded and kept.", func(s Stats) uint64 { return s.Stored }),
		telemetry.Counter("hub_files_refused_total", "Uploads whose bytes, size or name are not what is kept.", func(s Stats) uint64 { return s.Refused }),
		telemetry.Counter("hub_files_errors_total", "Calls to the folder or bucket of files that failed.", func(s Stats) uint64 { return s.Away }),
		telemetry.Counter("hub_files_missing_total", "Reads of files whose bytes are lost: neither folder nor bucket has them.", func(s Stats) uint64 { return s.Missing }),
		telemetry.Counter("hub_files_removed_total", "Uploads that were cut, by a crash perhaps, of which a sweep removed what was left.", func(s Stats) uint64 { return s.Removed }),
		telemetry.Gauge("hub_files_last_sweep_timestamp_seconds", "When this process last finished a search for such uploads; 0 is never.", func(s Stats) int64 { return s.Swept }),
	)
}
