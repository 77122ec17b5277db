package claim_test

import (
	"testing"
	"time"

	"example.com/hub/services/edge/internal/claim"
	"example.com/hub/services/edge/internal/stream"
)

func TestReplicasHearOfEachOther(t *testing.T) {
	name := newName()
	near, far := newClaims(t, claim.Deps{Name: name}), newClaims(t, claim.Deps{Name: name})
	heard := make(chan stream.Claim, 100)
	defer far.Subscribe(func(c stream.Claim) { heard <- c })()
	hearing(t, near, heard)

	want := take(t, near, stream.Claim{User: "alice", Stream: 1, Age: time.Second})
	if got := <-heard; got != want {
		t.Errorf("heard %+v, want %+v", got, want)
	}
	reconcile(t, near, want) // renewed, which is no news
	want = reconcile(t, near, stream.Claim{User: "alice", Stream: 2, Time: want.Time + 1})
	if got := <-heard; got != want {
		t.Errorf("heard %+v, want %+v", got, want)
	}
}

func TestLostSubscriptionIsReplaced(t *testing.T) {
	for name, fault := range map[string]func(*proxy){"closed": (*proxy).reset, "half-open": (*proxy).forget} {
		t.Run(name, func(t *testing.T) {
			p, u := newProxy(t)
			channel := newName()
			near := newClaims(t, claim.Deps{Name: channel})
			far := newClaims(t, claim.Deps{Client: newClient(t, u), Name: channel, Silence: 200 * time.Millisecond})
			heard := make(chan stream.Claim, 10_000)
			defer far.Subscribe(func(c stream.Claim) { heard <- c })()
			for range 3 {
				hearing(t, near, heard)
				fault(p)
			}
			hearing(t, near, heard)
		})
	}
}

// TestQuietSubscriptionIsKept knows how late a sign of life may be by the slowest answer that Redis gives
// meanwhile: one that is not well below Silence says nothing, and a longer Silence is tried.
func TestQuietSubscriptionIsKept(t *testing.T) {
	for silence := 100 * time.Millisecond; ; silence *= 2 {
		made, slowest := listenQuietly(t, silence)
		if made == 0 {
			return
		}
		if slowest < silence/4 || silence > patience {
			t.Fatalf("%d connections were made while nothing was heard, want none; the slowest answer took %v of %v", made, slowest, silence)
		}
	}
}

// listenQuietly listens for ten times Silence and gives the connections that were made for that after the
// first, and the slowest of all answers.
func listenQuietly(t *testing.T, silence time.Duration) (made uint32, slowest time.Duration) {
	t.Helper()
	c := newClient(t, address(t))
	r := newClaims(t, claim.Deps{Client: c, Silence: silence})
	heard := make(chan stream.Claim, 10_000)
	defer r.Subscribe(func(c stream.Claim) { heard <- c })()
	hearing(t, r, heard)
	before := c.PoolStats().PubSubStats.Created
	asked := time.Now()
	for end := asked.Add(10 * silence); asked.Before(end); {
		if err := c.Ping(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		slowest, asked = max(slowest, now.Sub(asked)), now
	}
	return c.PoolStats().PubSubStats.Created - before, slowest
}

func TestStrangeMessagesAreLeftOut(t *testing.T) {
	c := newClient(t, address(t))
	name := newName()
	r := newClaims(t, claim.Deps{Client: c, Name: name})
	heard := make(chan stream.Claim, 100)
	defer r.Subscribe(func(c stream.Claim) { heard <- c })()
	hearing(t, r, heard)
	for _, payload := range []string{"", "x", "1|2|3", "a|2|3|alice", "1|x|3|alice", "1|2|x|alice"} {
		if err := c.Publish(t.Context(), name+":claims", payload).Err(); err != nil {
			t.Fatal(err)
		}
	}
	take(t, r, stream.Claim{User: "alice", Stream: 7})
	if got := <-heard; got.Stream != 7 {
		t.Errorf("heard %+v, want only the claim", got)
	}
}

func TestSubscriptionBeginsOnceRedisIsThere(t *testing.T) {
	p, u := newProxy(t)
	p.setDown(true)
	name := newName()
	far := newClaims(t, claim.Deps{Client: newClient(t, u), Name: name})
	heard := make(chan stream.Claim, 10_000)
	start := time.Now()
	cancel := far.Subscribe(func(c stream.Claim) { heard <- c })
	if took := time.Since(start); took > patience {
		t.Errorf("subscribing took %v while Redis was away", took)
	}
	p.setDown(false)
	hearing(t, newClaims(t, claim.Deps{Name: name}), heard)
	cancel()
}
