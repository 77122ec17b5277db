package claim_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"example.com/hub/services/edge/internal/claim"
	"example.com/hub/services/edge/internal/stream"
)

// hearing waits until the subscription stands.
func hearing(t *testing.T, r *claim.Redis, heard <-chan stream.Claim) {
	t.Helper()
	eventually(t, "claims are heard", func() bool {
		take(t, r, stream.Claim{User: "probe", Stream: 1})
		select {
		case <-heard:
			return true
		case <-time.After(10 * time.Millisecond):
			return false
		}
	})
	for {
		select {
		case <-heard:
		case <-time.After(50 * time.Millisecond):
			return
		}
	}
}

func TestScriptsAreSentAgainWhenRedisForgotThem(t *testing.T) {
	c := newClient(t, address(t))
	r := newClaims(t, claim.Deps{Client: c})
	for range 3 {
		if err := c.ScriptFlush(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		claims := []stream.Claim{{User: "alice", Stream: 1}, {User: "bob", Stream: 2}}
		if err := errors.Join(r.Claim(t.Context(), claims), r.Reconcile(t.Context(), claims), r.Release(t.Context(), claims)); err != nil {
			t.Errorf("calls after the scripts were forgotten: %v", err)
		}
		if claims[0].Time == 0 || claims[1].Time == 0 {
			t.Errorf("claims = %+v, want all decided", claims)
		}
	}
}

func TestEachClaimIsDecidedForItself(t *testing.T) {
	c := newClient(t, address(t))
	name := newName()
	r := newClaims(t, claim.Deps{Client: c, Name: name})
	if err := c.LPush(t.Context(), name+":own:{bob}", "not a claim").Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.Set(t.Context(), name+":own:{carol}", "not a claim", 0).Err(); err != nil {
		t.Fatal(err)
	}
	claims := []stream.Claim{{User: "alice", Stream: 1}, {User: "bob", Stream: 2}, {User: "carol", Stream: 3}}
	if err := r.Claim(t.Context(), claims); err == nil {
		t.Error("claim does not tell of bob")
	}
	if claims[0].Time == 0 || claims[1].Time != 0 || claims[1].Stream != 2 || claims[2].Time == 0 {
		t.Errorf("claims = %+v, want all decided but bob's", claims)
	}
	before := slices.Clone(claims)
	if err := r.Reconcile(t.Context(), claims); err == nil {
		t.Error("reconcile does not tell of bob")
	}
	if claims[1] != before[1] {
		t.Errorf("bob's claim was changed to %+v", claims[1])
	}
	if err := r.Release(t.Context(), claims); err == nil {
		t.Error("release does not tell of bob")
	}
}

func TestHungRedisTakesNoLongerThanTheContext(t *testing.T) {
	p, u := newProxy(t)
	r := newClaims(t, claim.Deps{Client: newClient(t, u)})
	fastest := patience
	for range 3 { // a busy machine may be late once
		take(t, r, stream.Claim{User: "alice", Stream: 1})
		p.forget()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		start := time.Now()
		claims := []stream.Claim{{User: "alice", Stream: 2}}
		if err := r.Claim(ctx, claims); err == nil || claims[0].Time != 0 {
			t.Errorf("claim over a dead link = %+v, %v", claims, err)
		}
		fastest = min(fastest, time.Since(start))
		cancel()
	}
	if fastest > time.Second {
		t.Errorf("each claim took %v, want 100 ms", fastest)
	}
}

func TestNewNeedsItsDeps(t *testing.T) {
	if _, err := claim.New(claim.Deps{TTL: time.Second}); err == nil {
		t.Error("claims without a client are made")
	}
	if _, err := claim.New(claim.Deps{Client: newClient(t, address(t))}); err == nil {
		t.Error("claims that hold for no time are made")
	}
}
