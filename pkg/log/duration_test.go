package log_test

import (
	"testing"
	"time"

	"example.com/hub/pkg/log"
)

func TestDurationNamesItsUnit(t *testing.T) {
	for took, want := range map[time.Duration]string{
		0: "duration_ms=0", 1_234_567 * time.Nanosecond: "duration_ms=1.234", 90 * time.Second: "duration_ms=90000",
	} {
		if got := log.Duration(took).String(); got != want {
			t.Errorf("%v is %s, want %s", took, got, want)
		}
	}
}
