package portalhub_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/internal/session"
)

// TestSessionsGoWhenTheyAreOld lets two days pass for a session that was ended, and one that nobody ended.
func TestSessionsGoWhenTheyAreOld(t *testing.T) {
	for setting, kept := range map[string]bool{"HUB_SESSION_RETENTION=1d": false, "HUB_SESSION_RETENTION=3d": true, "HUB_SESSION_RETENTION=": true} {
		t.Run(setting, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, err := load(t, setting)
				if err != nil {
					t.Fatal(err)
				}
				store := openStore(t)
				service, err := portalhub.New(portalhub.Deps{Config: c, Store: store})
				if err != nil {
					t.Fatal(err)
				}
				client := serve(t, service)
				for _, id := range []string{"ended", "idle"} {
					if _, err := client.BeginSession(as(t, key), begin(id)); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := client.EndSession(as(t, key), &peoplev1.EndSessionRequest{Hash: hash("ended")}); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 48*time.Hour)
				defer cancel()
				if err := service.Run(ctx); err != nil {
					t.Error(err)
				}
				for _, id := range []string{"ended", "idle"} {
					if _, err := store.GetSession(t.Context(), session.GetParams{Hash: hash(id)}); (err == nil) != kept {
						t.Errorf("the row of %s: %v, want it kept: %v", id, err, kept)
					}
				}
			})
		})
	}
}
