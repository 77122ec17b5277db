package auth_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/telemetrytest"
)

func TestMetricsOfTheTokenCache(t *testing.T) {
	v := auth.NewVerifier(config())
	r := telemetry.New()
	v.Measure(r)
	good := token(nil, nil)
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

func TestMetricsOfTheKeys(t *testing.T) {
	inBubble(t, func(t *testing.T, issuer *issuerFake, keys *auth.RemoteKeys) {
		r := telemetry.New()
		keys.Measure(r)
		pass(time.Minute)
		fresh := []string{"hub_token_keys_age_seconds 60", "hub_token_keys_fetch_failures_total 0"}
		if diff := cmp.Diff(fresh, telemetrytest.Scrape(r, "hub_token_keys_")); diff != "" {
			t.Error(diff)
		}
		issuer.set(func(f *issuerFake) { f.err = errors.New("away") })
		pass(9 * time.Minute)
		stats := keys.Stats()
		if stats.Age != 10*time.Minute || stats.Failures == 0 {
			t.Errorf("after an outage of the issuer: %+v", stats)
		}
	})
}

func TestKeysThatNeverCameAgeFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := auth.NewRemoteKeys(auth.RemoteConfig{
			JWKSURL: "https://issuer.test/keys", Client: &http.Client{Transport: &issuerFake{err: errors.New("away")}}, Logger: quiet(),
		})
		defer keys.Close()
		pass(time.Minute)
		if age := keys.Stats().Age; age != time.Minute {
			t.Errorf("the age is %v", age)
		}
	})
}
