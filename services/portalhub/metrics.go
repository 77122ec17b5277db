package portalhub

import "example.com/hub/pkg/telemetry"

// Measure adds the metrics of what was removed, and of files.
func (s *Service) Measure(r *telemetry.Registry) {
	s.old.Measure(r)
	if s.files != nil {
		s.files.Measure(r)
	}
}
