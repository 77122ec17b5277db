package todohub

import "example.com/hub/pkg/telemetry"

// Measure adds the metrics of what was removed.
func (s *Service) Measure(r *telemetry.Registry) { s.old.Measure(r) }
