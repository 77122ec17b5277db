package log

import (
	"log/slog"
	"time"
)

// Duration is how long something took, as a number of milliseconds to the microsecond.
func Duration(took time.Duration) slog.Attr {
	return slog.Float64("duration_ms", float64(took.Microseconds())/1000)
}
