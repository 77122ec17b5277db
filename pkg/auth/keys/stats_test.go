package keys_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/telemetrytest"
)

func TestMetricsOfTheKeys(t *testing.T) {
	inBubble(t, func(t *testing.T, issuer *issuerFake, set *keys.Remote) {
		r := telemetry.New()
		set.Measure(r)
		pass(time.Minute)
		fresh := []string{"hub_token_keys_age_seconds 60", "hub_token_keys_fetch_failures_total 0"}
		if diff := cmp.Diff(fresh, telemetrytest.Scrape(r, "hub_token_keys_")); diff != "" {
			t.Error(diff)
		}
		issuer.set(func(f *issuerFake) { f.err = errors.New("away") })
		pass(9 * time.Minute)
		stats := set.Stats()
		if stats.Age != 10*time.Minute || stats.Failures == 0 {
			t.Errorf("after an outage of the issuer: %+v", stats)
		}
	})
}

func TestKeysThatNeverCameAgeFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := keys.NewRemote(keys.Config{
			JWKSURL: "https://issuer.test/keys", Client: &http.Client{Transport: &issuerFake{err: errors.New("away")}}, Logger: quiet(),
		})
		defer set.Close()
		pass(time.Minute)
		if age := set.Stats().Age; age != time.Minute {
			t.Errorf("the age is %v", age)
		}
	})
}
