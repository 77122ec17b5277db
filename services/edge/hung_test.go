package edge_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/tlsfiles"
	"example.com/hub/pkg/tlsfiles/tlstest"
)

// burst makes calls at once and waits for all answers.
func (c todos) burst(calls int) (failed []error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			if _, err := c.call(); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, err)
			}
		})
	}
	all.Wait()
	return failed
}

// TestAHungReplicaFailsNoCall has a replica whose process stops under more calls than one connection takes.
func TestAHungReplicaFailsNoCall(t *testing.T) {
	authority := tlstest.New(t)
	secret := tlstest.MountPair(t, authority.Issue(t, "edge.test"), authority.PEM())
	client, err := tlsfiles.ClientSettings{
		CAFile: secret.Path("ca.crt"), CertFile: secret.Path("tls.crt"), KeyFile: secret.Path("tls.key"),
	}.Open(slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	own := tlstest.MountPair(t, authority.Issue(t, "127.0.0.1"), authority.PEM())
	server, err := tlsfiles.HubSettings{
		ListenerSettings: tlsfiles.ListenerSettings{CertFile: own.Path("tls.crt"), KeyFile: own.Path("tls.key")},
		ClientCAFile:     own.Path("ca.crt"),
	}.Open(slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		tunnels bool
		client  *tlsfiles.Files
		server  []grpc.ServerOption
	}{
		"streams":          {},
		"streams over TLS": {false, client, server.GRPC()},
		"tunnels":          {tunnels: true},
		"tunnels over TLS": {true, client, server.GRPC()},
	} {
		t.Run(name, func(t *testing.T) {
			one, two, three := serveTodos(t, tt.server...), serveTodos(t, tt.server...), serveTodos(t, tt.server...)
			c := dialTodos(t, tt.tunnels, tt.client, one, two, three)
			one.freeze()
			if failed := c.burst(600); len(failed) > 0 {
				t.Errorf("%d calls failed, the first with %v", len(failed), failed[0])
			}
			eventually(t, "the replica is taken out", func() bool { return c.out() == "1" })
			slow := 0 // one of three, if it still got calls
			for range 100 {
				took, err := c.call()
				if err != nil {
					t.Fatalf("a call after it was taken out: %v, %v", err, took)
				}
				if took > watching.ProbeInterval {
					slow++
				}
			}
			if slow > 10 {
				t.Errorf("%d of 100 calls waited after it was taken out", slow)
			}
			one.thaw()
			eventually(t, "it is taken in again", func() bool { return c.out() == "0" })
			c.reach(one, two, three)
		})
	}
}

// TestAReplicaThatHangsInItsAnswerFailsNoCall has a replica whose process stops after the header of an answer.
// A tunnel brings header and answer together.
func TestAReplicaThatHangsInItsAnswerFailsNoCall(t *testing.T) {
	one, two := serveTodos(t), serveTodos(t)
	c := dialTodos(t, false, nil, one, two)
	sent := make(chan struct{})
	one.answers(func(ctx context.Context) error {
		before := one.written.Load()
		if err := grpc.SendHeader(ctx, metadata.Pairs("long", strings.Repeat("~", 10_000))); err != nil {
			return err
		}
		for one.written.Load() < before+10_000 {
			<-time.After(time.Millisecond)
		}
		close(sent)
		<-ctx.Done()
		return ctx.Err()
	})
	failed := make(chan []error, 1)
	go func() { failed <- c.burst(2) }()
	<-sent
	one.freeze()
	if failed := <-failed; len(failed) > 0 {
		t.Errorf("%d calls failed, the first with %v", len(failed), failed[0])
	}
}

// TestAReplicaThatAnswersIsNotAskedTwice has a database that is slow, which health does not wait for.
func TestAReplicaThatAnswersIsNotAskedTwice(t *testing.T) {
	eachWay(t, func(t *testing.T, tunnels bool) {
		one, two := serveTodos(t), serveTodos(t)
		c := dialTodos(t, tunnels, nil, one, two)
		slow := func(context.Context) error { <-time.After(2 * watching.ProbeInterval); return nil }
		one.answers(slow)
		two.answers(slow)
		before := one.upserts.Load() + two.upserts.Load()
		if failed := c.burst(400); len(failed) > 0 {
			t.Errorf("%d calls failed, the first with %v", len(failed), failed[0])
		}
		if asked := one.upserts.Load() + two.upserts.Load() - before; asked != 400 {
			t.Errorf("400 calls were made %d times", asked)
		}
	})
}

// TestABusyReplicaIsNotCutOff has a replica that is too busy for health, but not for every call.
func TestABusyReplicaIsNotCutOff(t *testing.T) {
	eachWay(t, func(t *testing.T, tunnels bool) {
		one, two := serveTodos(t), serveTodos(t)
		c := dialTodos(t, tunnels, nil, one, two)
		checks := make(chan struct{}, 100)
		one.checks(func(ctx context.Context) error {
			checks <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		})
		for begun, slowest := 0, time.Duration(0); begun < 4; {
			took, err := c.call()
			if err != nil {
				t.Fatal(err)
			}
			slowest = max(slowest, took)
			select {
			case <-checks:
				begun++
			default:
			}
			if c.out() == "0" {
				continue
			}
			if slowest < watching.ProbeInterval/4 {
				t.Fatal("it was taken out between its answers")
			}
			// This machine kept it from answering: that says nothing.
			eventually(t, "it is taken in again", func() bool { return c.out() == "0" })
			begun, slowest = 0, 0
		}
	})
}

// TestNobodyIsTakenOutWhenAllHang has calls that wait for as long as all replicas hang, and are then
// answered by whom they were made to.
func TestNobodyIsTakenOutWhenAllHang(t *testing.T) {
	eachWay(t, func(t *testing.T, tunnels bool) {
		one, two := serveTodos(t), serveTodos(t)
		c := dialTodos(t, tunnels, nil, one, two)
		before := one.upserts.Load() + two.upserts.Load()
		one.freeze()
		two.freeze()
		failed := make(chan []error, 1)
		go func() { failed <- c.burst(20) }()
		<-time.After(3 * watching.ProbeInterval)
		if out := c.out(); out != "0" {
			t.Errorf("%s replicas are out", out)
		}
		one.thaw()
		two.thaw()
		if failed := <-failed; len(failed) > 0 {
			t.Errorf("%d calls failed, the first with %v", len(failed), failed[0])
		}
		if asked := one.upserts.Load() + two.upserts.Load() - before; asked < 20 || asked > 40 {
			t.Errorf("20 calls were made %d times", asked)
		}
		c.reach(one, two)
	})
}

// TestAReplicaWithoutItsDatabaseStays has one that says that it is not ready. It answers calls at once.
func TestAReplicaWithoutItsDatabaseStays(t *testing.T) {
	eachWay(t, func(t *testing.T, tunnels bool) {
		one, two := serveTodos(t), serveTodos(t)
		c := dialTodos(t, tunnels, nil, one, two)
		asked := make(chan struct{}, 100)
		one.checks(func(context.Context) error { asked <- struct{}{}; return nil })
		one.SetServingStatus("", healthpb.HealthCheckResponse_NOT_SERVING)
		for range 3 {
			<-asked
		}
		c.reach(one, two)
		if out := c.out(); out != "0" {
			t.Errorf("%s replicas are out", out)
		}
	})
}

// TestAnOutageThatIsOverFailsNoCall has an outage of the database, of which each answer says that it must
// not be repeated, behind a header as it tells of a limit, and right after it a replica that ends under
// its calls.
func TestAnOutageThatIsOverFailsNoCall(t *testing.T) {
	eachWay(t, func(t *testing.T, tunnels bool) {
		one, two := serveTodos(t), serveTodos(t)
		c := dialTodos(t, tunnels, nil, one, two)
		away := func(ctx context.Context) error {
			if err := grpc.SetHeader(ctx, metadata.Pairs("ratelimit", "x")); err != nil {
				return err
			}
			if err := grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", "-1")); err != nil {
				return err
			}
			return status.Error(codes.Unavailable, "the database is away")
		}
		one.answers(away)
		two.answers(away)
		made := one.upserts.Load() + two.upserts.Load()
		if failed := c.burst(300); len(failed) != 300 {
			t.Fatalf("%d calls failed", len(failed))
		}
		if made = one.upserts.Load() + two.upserts.Load() - made; made != 300 {
			t.Fatalf("300 calls were made %d times", made)
		}
		one.answers(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		two.answers(atOnce)
		before := one.upserts.Load()
		failed := make(chan []error, 1)
		go func() { failed <- c.burst(100) }()
		eventually(t, "calls wait for the replica", func() bool { return one.upserts.Load() >= before+50 })
		one.end()
		if failed := <-failed; len(failed) > 0 {
			t.Errorf("%d calls failed, the first with %v", len(failed), failed[0])
		}
	})
}

// TestAReplicaThatStopsFailsNoCall has one that stops in order under its calls.
func TestAReplicaThatStopsFailsNoCall(t *testing.T) {
	eachWay(t, func(t *testing.T, tunnels bool) {
		one, two := serveTodos(t), serveTodos(t)
		c := dialTodos(t, tunnels, nil, one, two)
		one.answers(func(context.Context) error { <-time.After(20 * time.Millisecond); return nil })
		before := one.upserts.Load()
		failed := make(chan []error, 1)
		go func() { failed <- c.burst(300) }()
		eventually(t, "it has calls", func() bool { return one.upserts.Load() >= before+50 })
		if err := one.stop(t.Context()); err != nil {
			t.Error(err)
		}
		if failed := <-failed; len(failed) > 0 {
			t.Errorf("%d calls failed, the first with %v", len(failed), failed[0])
		}
	})
}

// TestTunnelsAreMeasured has calls of which each goes through a tunnel.
func TestTunnelsAreMeasured(t *testing.T) {
	c := dialTodos(t, true, nil, serveTodos(t))
	number := func(name string) (n int) {
		if _, err := fmt.Sscan(c.gauge(name+`{area="todo"} `), &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	calls, messages := number("hub_edge_tunnel_calls_total"), number("hub_edge_tunnel_messages_total")
	if failed := c.burst(100); len(failed) > 0 {
		t.Fatal(failed[0])
	}
	calls, messages = number("hub_edge_tunnel_calls_total")-calls, number("hub_edge_tunnel_messages_total")-messages
	if calls != 100 || messages < 1 || messages > 100 {
		t.Errorf("100 calls count as %d in %d messages", calls, messages)
	}
}
