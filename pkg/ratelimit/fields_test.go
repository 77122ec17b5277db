package ratelimit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/config"
	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/telemetrytest"
)

func TestFields(t *testing.T) {
	l, _ := newLocal(ratelimit.Config{Writes: 40, Reads: 3, Burst: 10 * time.Second})
	for _, tt := range []struct {
		name          string
		area          ratelimit.Area
		cost          int
		policy, state string
	}{
		{"some are left", ratelimit.Writes, 13, `"writes";q=400;w=10`, `"writes";r=387;t=1`},
		{"none are left", ratelimit.Writes, 387, `"writes";q=400;w=10`, `"writes";r=0;t=10`},
		{"refused, for a moment", ratelimit.Writes, 1, `"writes";q=400;w=10`, `"writes";r=0;t=1`},
		{"refused, for longer", ratelimit.Writes, 101, `"writes";q=400;w=10`, `"writes";r=0;t=3`},
		{"more than a bucket", ratelimit.Reads, 90, `"reads";q=30;w=10`, `"reads";r=0;t=10`},
		{"refused after it", ratelimit.Reads, 2, `"reads";q=30;w=10`, `"reads";r=0;t=1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := l.Take(t.Context(), "erp", tt.area, tt.cost)
			if got := r.Policy(); got != tt.policy {
				t.Errorf("policy %s, want %s", got, tt.policy)
			}
			if got := r.State(); got != tt.state {
				t.Errorf("state %s, want %s", got, tt.state)
			}
		})
	}
}

func TestSecondsAreRoundedUp(t *testing.T) {
	for d, want := range map[time.Duration]int64{
		-time.Second: 1, 0: 1, 1: 1, time.Second: 1, time.Second + 1: 2, time.Hour: 3600,
	} {
		if got := ratelimit.Seconds(d); got != want {
			t.Errorf("%v are %d s, want %d", d, got, want)
		}
	}
}

func TestSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		environ []string
		want    string
	}{
		"none":          {nil, ""},
		"largest":       {[]string{"HUB_LIMIT_WRITES=100000", "HUB_LIMIT_READS=100000", "HUB_LIMIT_BURST=10m"}, ""},
		"smallest":      {[]string{"HUB_LIMIT_WRITES=1", "HUB_LIMIT_BURST=1s"}, ""},
		"negative":      {[]string{"HUB_LIMIT_WRITES=-1"}, "HUB_LIMIT_WRITES: must be from 0 to 100000, not -1"},
		"too many":      {[]string{"HUB_LIMIT_READS=100001"}, "HUB_LIMIT_READS: must be from 0 to 100000, not 100001"},
		"part seconds":  {[]string{"HUB_LIMIT_BURST=1500ms"}, "HUB_LIMIT_BURST: must be whole seconds from 1s to 10m, not 1.5s"},
		"no time":       {[]string{"HUB_LIMIT_BURST=0s"}, "HUB_LIMIT_BURST: must be whole seconds from 1s to 10m, not 0s"},
		"too much time": {[]string{"HUB_LIMIT_BURST=601s"}, "HUB_LIMIT_BURST: must be whole seconds from 1s to 10m, not 10m1s"},
	} {
		t.Run(name, func(t *testing.T) {
			var c ratelimit.Config
			err := config.Load(&c, tt.environ)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestMetrics(t *testing.T) {
	l, _ := newLocal(ratelimit.Config{Writes: 1, Reads: 1, Burst: time.Second})
	for range 3 {
		l.Take(t.Context(), "erp", ratelimit.Writes, 1)
	}
	for range 2 {
		l.Take(t.Context(), "erp", ratelimit.Reads, 1)
	}
	for name, tt := range map[string]struct {
		limiter *ratelimit.Limiter
		want    []string
	}{
		"on":  {l, []string{"hub_limit_fallbacks_total 0", `hub_limit_refused_total{area="reads"} 1`, `hub_limit_refused_total{area="writes"} 2`}},
		"off": {nil, []string{"hub_limit_fallbacks_total 0", `hub_limit_refused_total{area="reads"} 0`, `hub_limit_refused_total{area="writes"} 0`}},
	} {
		t.Run(name, func(t *testing.T) {
			r := telemetry.New()
			tt.limiter.Measure(r)
			if diff := cmp.Diff(tt.want, telemetrytest.Scrape(r, "hub_limit_")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
