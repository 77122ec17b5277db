package keys_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/auth/authtest"
	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/fault"
)

func TestKeysAreFetchedOnceAtStart(t *testing.T) {
	inBubble(t, func(t *testing.T, issuer *issuerFake, set *keys.Remote) {
		if err := set.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		for range 100 {
			check(t, set, "k1", true)
		}
		wantFetches(t, issuer, 1)
	})
}

func TestRemovedKeyDiesWithin10Minutes(t *testing.T) {
	inBubble(t, func(t *testing.T, issuer *issuerFake, set *keys.Remote) {
		v := token.New(token.Config{Issuer: "https://issuer.test", Keys: set})
		raw := signRS256(ownKey(), goodHeader, goodClaims.With(object{
			"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
		}))
		issuer.set(func(f *issuerFake) { f.keys = []jose.JSONWebKey{publicKey("k2", foreignKey())} })
		// The worst case: the token is cached just before the refresh that removes the key.
		refused := time.Duration(0)
		for start := time.Now(); time.Since(start) < 15*time.Minute; pass(time.Second) {
			if _, err := v.Verify(t.Context(), raw); err != nil {
				refused = time.Since(start)
				break
			}
		}
		if refused < time.Minute || refused > 10*time.Minute {
			t.Errorf("the token was refused after %v, want at most 10m, and not at once", refused)
		}
	})
}

func TestKeysAreRefreshedEvery5Minutes(t *testing.T) {
	inBubble(t, func(t *testing.T, issuer *issuerFake, _ *keys.Remote) {
		issuer.fetched()
		pass(4*time.Minute + 29*time.Second)
		wantFetches(t, issuer, 0)
		pass(62 * time.Second)
		wantFetches(t, issuer, 1)
		pass(55 * time.Minute)
		if got := issuer.fetched(); got < 10 || got > 12 {
			t.Errorf("%d fetches in 55 minutes, want about 11", got)
		}
	})
}

func TestUnknownKeyIDFetchesAtMostOnceIn30Seconds(t *testing.T) {
	inBubble(t, func(t *testing.T, issuer *issuerFake, set *keys.Remote) {
		issuer.fetched()
		for range 200 {
			check(t, set, "made up", false)
		}
		wantFetches(t, issuer, 1)
		pass(29 * time.Second)
		check(t, set, "made up", false)
		wantFetches(t, issuer, 0)
		pass(time.Second)
		check(t, set, "made up", false)
		wantFetches(t, issuer, 1)
	})
}

func TestBadSignatureOfAKnownKeyFetchesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, issuer *issuerFake, set *keys.Remote) {
		issuer.fetched()
		pass(time.Minute)
		for range 200 {
			raw := joseToken(t, jose.RS256, "k1", foreignKey())
			if _, err := set.VerifySignature(t.Context(), raw); err == nil {
				t.Fatal("a foreign signature passes")
			}
		}
		wantFetches(t, issuer, 0)
	})
}

func TestNewKeyIsAcceptedAtItsFirstToken(t *testing.T) {
	inBubble(t, func(t *testing.T, issuer *issuerFake, set *keys.Remote) {
		issuer.fetched()
		issuer.set(func(f *issuerFake) {
			f.keys = append(ownKeys(), publicKey("k2", foreignKey()))
			f.delay = time.Second
		})
		// Many callers at once wait for the same fetch.
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { check(t, set, "k2", true) })
		}
		wg.Wait()
		wantFetches(t, issuer, 1)
		check(t, set, "k1", true)
	})
}

func TestWaitForANewKeyEndsWithTheCall(t *testing.T) {
	inBubble(t, func(t *testing.T, issuer *issuerFake, set *keys.Remote) {
		issuer.set(func(f *issuerFake) { f.hang = true })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := set.VerifySignature(ctx, joseToken(t, jose.RS256, "k2", foreignKey()))
		if fault.KindOf(err) != fault.Unavailable || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v, want a fault of kind Unavailable for the deadline", err)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("it took %v, want 1s", took)
		}
	})
}

func TestOutageKeepsTheLastKeysFor24Hours(t *testing.T) {
	inBubble(t, func(t *testing.T, issuer *issuerFake, set *keys.Remote) {
		issuer.set(func(f *issuerFake) { f.err = errors.New("no route") })
		pass(24*time.Hour - time.Minute)
		check(t, set, "k1", true)
		if err := set.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		if got := issuer.fetched(); got < 2000 || got > 4000 {
			t.Errorf("%d fetches in 24 hours of outage, want about one in 30s", got)
		}
		pass(2 * time.Minute)
		check(t, set, "k1", false)
		if err := set.Ready(t.Context()); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("Ready is %v, want a fault of kind Unavailable", err)
		}
		issuer.set(func(f *issuerFake) { f.err = nil })
		pass(40 * time.Second)
		check(t, set, "k1", true)
	})
}

func TestEmptySetTakesTheKeysAway(t *testing.T) {
	inBubble(t, func(t *testing.T, issuer *issuerFake, set *keys.Remote) {
		issuer.set(func(f *issuerFake) { f.keys = []jose.JSONWebKey{} })
		pass(6 * time.Minute)
		if err := set.Ready(t.Context()); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("Ready is %v, want a fault of kind Unavailable", err)
		}
	})
}

func TestHangingIssuerIsGivenUpAfter5Seconds(t *testing.T) {
	inBubble(t, func(t *testing.T, issuer *issuerFake, set *keys.Remote) {
		issuer.fetched()
		issuer.set(func(f *issuerFake) { f.hang = true })
		start := time.Now()
		check(t, set, "k2", false)
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("the fetch took %v, want 5s", took)
		}
		check(t, set, "k1", true)
	})
}

func TestStartDoesNotWaitForTheIssuer(t *testing.T) {
	raw := signed(nil, nil)
	synctest.Test(t, func(t *testing.T) {
		fake := &issuerFake{keys: ownKeys(), err: errors.New("no route")}
		set := keys.NewRemote(keys.Config{
			JWKSURL: "https://issuer.test/keys", Client: &http.Client{Transport: fake}, Logger: quiet(),
		})
		defer set.Close()
		synctest.Wait()
		_, err := token.New(token.Config{Issuer: authtest.Issuer, Keys: set}).Verify(t.Context(), raw)
		if fault.KindOf(err) != fault.Unavailable {
			t.Errorf("error is %v, want a fault of kind Unavailable", err)
		}
		if err := set.Ready(t.Context()); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("Ready is %v, want a fault of kind Unavailable", err)
		}
		fake.set(func(f *issuerFake) { f.err = nil })
		pass(2 * time.Second)
		if err := set.Ready(t.Context()); err != nil {
			t.Errorf("Ready is %v 2s after the issuer came", err)
		}
	})
}

func TestCallsThatWaitForKeysAreLimited(t *testing.T) {
	inBubble(t, func(t *testing.T, issuer *issuerFake, set *keys.Remote) {
		unknown := joseToken(t, jose.RS256, "k2", foreignKey())
		for range 2 { // who waited leaves room
			issuer.set(func(f *issuerFake) { f.hang = true })
			kinds := make(chan fault.Kind, 200)
			for range cap(kinds) {
				go func() {
					_, err := set.VerifySignature(t.Context(), unknown)
					kinds <- fault.KindOf(err)
				}()
			}
			synctest.Wait()
			if refused := len(kinds); refused != 72 {
				t.Errorf("%d of %d calls do not wait, want 72", refused, cap(kinds))
			}
			for range len(kinds) {
				if kind := <-kinds; kind != fault.Unavailable {
					t.Errorf("a call that may not wait gets a fault of kind %v", kind)
				}
			}
			check(t, set, "k1", true)
			issuer.set(func(f *issuerFake) { f.hang = false })
			pass(time.Minute)
		}
	})
}
