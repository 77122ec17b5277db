package token_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/telemetrytest"
)

func TestMetricsOfTheTokenCache(t *testing.T) {
	v := token.New(config())
	r := telemetry.New()
	v.Measure(r)
	good := signed(nil, nil)
	for range 3 {
		if _, err := v.Verify(t.Context(), good); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, err := v.Verify(t.Context(), "rubbish"); err == nil {
			t.Fatal("rubbish is a token")
		}
	}
	want := []string{
		"hub_token_cache_entries 1",
		`hub_token_cache_lookups_total{result="hit"} 2`,
		`hub_token_cache_lookups_total{result="miss"} 3`,
	}
	if diff := cmp.Diff(want, telemetrytest.Scrape(r, "hub_token_")); diff != "" {
		t.Error(diff)
	}
}
