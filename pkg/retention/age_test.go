package retention_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/hub/pkg/config"
	"example.com/hub/pkg/retention"
)

type settings struct {
	Keep retention.Age `env:"HUB_RETENTION" help:"how long"`
}

func (s settings) Validate() error { return s.Keep.Check("HUB_RETENTION") }

func TestAge(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "30d": 30 * 24 * time.Hour, "1d": 24 * time.Hour, "720h": 720 * time.Hour, "1h": time.Hour,
		"1h30m": 90 * time.Minute, "106751d": 106751 * 24 * time.Hour, "0": 0, "0d": 0,
	} {
		var got settings
		if err := config.Load(&got, []string{"HUB_RETENTION=" + text}); err != nil || time.Duration(got.Keep) != want {
			t.Errorf("%q is %v, %v; want %v", text, time.Duration(got.Keep), err, want)
		}
	}
}

func TestAgeRefuses(t *testing.T) {
	const unreadable = "HUB_RETENTION: must be days like 30d or hours like 720h, not %q (how long)"
	for text, want := range map[string]string{
		"30": unreadable, "d": unreadable, "-1d": unreadable, "1.5d": unreadable, "1d12h": unreadable,
		"106752d": unreadable, "99999999999d": unreadable, "9999999h": unreadable, "month": unreadable,
		"30m": "HUB_RETENTION: must be empty or at least 1h0m0s, not 30m0s",
		"-2h": "HUB_RETENTION: must be empty or at least 1h0m0s, not -2h0m0s",
	} {
		if want == unreadable {
			want = fmt.Sprintf(unreadable, text)
		}
		var got settings
		if err := config.Load(&got, []string{"HUB_RETENTION=" + text}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
