package stream_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/edge/internal/stream"
)

// replicas are brokers that share a registry and run until the test is over.
func replicas(t *testing.T, n int, r *registry, clock func() time.Time) []*stream.Broker {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	var all []*stream.Broker
	for range n {
		b, _ := newBroker(t, stream.Deps{Claims: r, Heartbeat: 15 * time.Second, Clock: clock})
		go func() { _ = b.Run(ctx) }()
		all = append(all, b)
	}
	return all
}

// open connects a client that reads all it gets.
func open(t *testing.T, b *stream.Broker, user string) *recorder {
	t.Helper()
	c := record(pipe(t, b, user))
	t.Cleanup(func() { _ = c.Close() })
	synctest.Wait()
	return c
}

// retries gives the reconnect times that a client was told after the first.
func (r *recorder) retries() []time.Duration {
	var all []time.Duration
	for line := range strings.Lines(r.heard()) {
		if ms, ok := strings.CutPrefix(line, "retry: "); ok {
			d, _ := time.ParseDuration(strings.TrimSpace(ms) + "ms")
			all = append(all, d)
		}
	}
	return all[1:]
}

func (r *recorder) wantOpen(t *testing.T, want bool) {
	t.Helper()
	if got := len(r.retries()) == 0; got != want {
		t.Errorf("that the stream is open is %v, want %v", got, want)
	}
}

func TestNewStreamElsewhereEndsTheOldOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := replicas(t, 2, newRegistry(), nil)
		var last *recorder
		for n, seconds := range []time.Duration{0, 3, 6, 12, 24, 48, 60, 60} {
			pass(time.Second)
			c := open(t, b[n%2], "alice")
			if last != nil {
				got := last.retries()
				if len(got) != 1 || got[0] < seconds*time.Second || got[0] > seconds*time.Second*3/2 {
					t.Errorf("the stream number %d was told to retry in %v, want once %v s and a half", n, got, int(seconds))
				}
			}
			last = c
		}
		last.wantOpen(t, true)
		if s := b[0].Stats(); s.Open != 0 || s.ReplacedElsewhere != 4 || s.Replaced != 0 {
			t.Errorf("stats = %+v, want 4 streams replaced elsewhere", s)
		}
	})
}

func TestOtherReplicasKnowOfEarlierReplacements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := replicas(t, 2, newRegistry(), nil)
		open(t, b[0], "alice")
		pass(time.Second)
		open(t, b[1], "alice")
		pass(time.Second)
		third := open(t, b[0], "alice")
		pass(time.Second)
		open(t, b[0], "alice") // the second stream ended elsewhere; this replacement is local
		if got := third.retries(); len(got) != 1 || got[0] < 12*time.Second || got[0] > 18*time.Second {
			t.Errorf("the third stream was told to retry in %v, want 12 to 18 s", got)
		}
	})
}

func TestStreamsOpenWhileNobodyAnswersClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry()
		r.hang = true
		b := replicas(t, 2, r, nil)
		start := time.Now()
		c := open(t, b[0], "alice")
		if got := c.heard(); got != "retry: 3000\n" || time.Since(start) > 0 {
			t.Errorf("heard %q after %v, want the beginning at once", got, time.Since(start))
		}
		for i := range 1_000 {
			open(t, b[0], fmt.Sprint("user-", i))
		}
		pass(3 * time.Second)
		if s := b[0].Stats(); s.Open != 1001 || s.ClaimsFailed != 1001 {
			t.Errorf("stats = %+v, want all streams open and their claims failed within two calls", s)
		}

		pass(time.Second)
		d := open(t, b[1], "alice")
		pass(time.Second)
		c.wantOpen(t, true) // delivery beats uniqueness
		r.set(func(r *registry) { r.hang = false })
		pass(15 * time.Second)
		c.wantOpen(t, false)
		d.wantOpen(t, true)
	})
}

func TestReconcilingFindsWhatWasNotHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry()
		r.deaf = true
		b := replicas(t, 3, r, nil)
		old := open(t, b[0], "alice")
		pass(time.Second)
		mid := open(t, b[1], "alice")
		pass(time.Second)
		last := open(t, b[2], "alice")
		pass(15 * time.Second)
		old.wantOpen(t, false)
		mid.wantOpen(t, false)
		last.wantOpen(t, true)
	})
}

func TestClaimsComeBackAfterTheRegistryForgotThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry()
		r.deaf = true
		b := replicas(t, 2, r, nil)
		old := open(t, b[0], "alice")
		pass(time.Second)
		last := open(t, b[1], "alice")
		r.set(func(r *registry) { clear(r.owners) })
		pass(30 * time.Second)
		old.wantOpen(t, false)
		last.wantOpen(t, true)
		if got := r.owner("alice").User; got != "alice" {
			t.Error("nobody holds alice")
		}
	})
}

func TestClaimWhoseAnswerWasLostIsTheOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry()
		r.mute = true
		// The edge's clock is behind, so what it makes up for a time is older than the registry's.
		b := replicas(t, 1, r, func() time.Time { return time.Now().Add(-time.Hour) })
		c := open(t, b[0], "alice")
		r.set(func(r *registry) { r.mute = false })
		pass(15 * time.Second)
		c.wantOpen(t, true)
		r.tell([]stream.Claim{{User: "alice", Stream: 1, Time: time.Now().Add(-time.Minute).UnixMicro()}})
		c.wantOpen(t, true)
		r.tell([]stream.Claim{{User: "alice", Stream: 1, Time: time.Now().UnixMicro(), Replaced: 1}})
		c.wantOpen(t, false)
	})
}

// TestClaimThatIsHeardBeforeTheOwnIsDecided has the other replica's claim come in first.
func TestClaimThatIsHeardBeforeTheOwnIsDecided(t *testing.T) {
	tests := map[string]struct {
		other time.Duration
		open  bool
	}{
		"of a newer stream":  {other: time.Second, open: false},
		"of an older stream": {other: -time.Second, open: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRegistry()
				r.hang = true
				b := replicas(t, 1, r, nil)
				c := open(t, b[0], "alice")
				at := time.Now().Add(tt.other).UnixMicro()
				r.tell([]stream.Claim{{User: "alice", Stream: 1, Time: at - 1e6}, {User: "alice", Stream: 1, Time: at}})
				c.wantOpen(t, true)
				pass(2 * time.Second)
				c.wantOpen(t, tt.open)
			})
		})
	}
}

func TestStreamThatBeganEarlierDoesNotReplace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry()
		b := replicas(t, 2, r, nil)
		r.set(func(r *registry) {
			r.owners["alice"] = stream.Claim{User: "alice", Stream: 7, Time: time.Now().UnixMicro() + 1}
		})
		c := open(t, b[0], "alice")
		c.wantOpen(t, false)
		if got := r.owner("alice").Stream; got != 7 {
			t.Errorf("alice is held by %d, want the newer stream", got)
		}
	})
}

func TestEndedStreamsReleaseTheirClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry()
		b := replicas(t, 2, r, nil)
		_ = open(t, b[0], "alice").Close()
		synctest.Wait()
		open(t, b[0], "bob")
		open(t, b[0], "bob") // here, so the new stream holds the claim
		pass(time.Millisecond)
		open(t, b[0], "carol")
		pass(time.Millisecond)
		open(t, b[1], "carol")
		if diff := cmp.Diff([]string{"alice"}, r.takeReleased()); diff != "" {
			t.Errorf("released (-want +got):\n%s", diff)
		}
		if err := b[1].Shutdown(t.Context()); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if diff := cmp.Diff([]string{"carol"}, r.takeReleased()); diff != "" {
			t.Errorf("released (-want +got):\n%s", diff)
		}
	})
}

func TestReleasesOfAShutdownNeedNobodyElse(t *testing.T) {
	r := newRegistry()
	b, _ := newBroker(t, stream.Deps{Claims: r})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	near, far := net.Pipe()
	serve(t, b, far, "alice")
	record(near)
	eventually(t, "alice is held", func() bool { return r.owner("alice").User == "alice" })
	stop()
	if err := <-ended; err != nil {
		t.Errorf("run: %v", err)
	}
	if err := b.Shutdown(t.Context()); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	if len(r.owners) > 0 {
		t.Errorf("%v is still held", r.owners)
	}
}

func TestClaimsGoOutInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry()
		b, _ := newBroker(t, stream.Deps{Claims: r, Heartbeat: 15 * time.Second})
		gone := open(t, b, "gone")
		_ = gone.Close()
		for i := range 600 {
			open(t, b, fmt.Sprint("user-", i))
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go func() { _ = b.Run(ctx) }()
		synctest.Wait()
		if diff := cmp.Diff([]string{"claim 255", "claim 256", "claim 89"}, r.takeCalls()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		pass(15 * time.Second)
		calls := r.takeCalls()
		n, sum := 0, 0
		for _, call := range calls {
			if _, err := fmt.Sscanf(call, "reconcile %d", &n); err != nil {
				t.Errorf("call %q, want reconcile", call)
			}
			sum += n
		}
		// Some shards have their second turn already.
		if sum < 600 || sum > 1_000 || len(calls) > 100 {
			t.Errorf("%d streams were reconciled in %d calls within one interval, want 600 once", sum, len(calls))
		}
	})
}
