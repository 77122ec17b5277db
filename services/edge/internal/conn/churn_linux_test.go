package conn_test

import (
	"errors"
	"flag"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"testing"

	"example.com/hub/services/edge/internal/conn"
)

var connects = flag.Int("connects", 2_000, "how many connections come and go in the test of churn")

// TestChurn has connections end in all ways beside some that stay, and hears of each once.
func TestChurn(t *testing.T) {
	var p conn.Poller
	l := listen(t)
	before := descriptors(t)
	var stay []*held
	for range 50 {
		h := mustConnect(t, l)
		h.drain(&p)
		stay = append(stay, h)
	}
	names := slices.Sorted(maps.Keys(ways))
	const workers = 8
	var all sync.WaitGroup
	for worker := range workers {
		l := listen(t)
		all.Go(func() {
			defer func() { _ = l.Close() }()
			for n := worker; n < *connects; n += workers {
				way := names[n/workers%len(names)]
				if err := comeAndGo(l, &p, ways[way]); err != nil {
					t.Errorf("connection %d, %s: %v", n, way, err)
					return
				}
			}
		})
	}
	all.Wait()
	if n := conn.Polled(&p); n != len(stay) {
		t.Errorf("%d connections are waited for, want the %d that stay", n, len(stay))
	}
	for _, h := range stay {
		if !h.lives() {
			t.Error("a connection that stays has ended")
		}
		h.leave()
		if !h.over() {
			t.Error("a connection that stayed does not end")
		}
	}
	p.Close()
	_ = l.Close()
	if n := descriptors(t) - before; n > 0 {
		t.Errorf("%d descriptors are left", n)
	}
}

func comeAndGo(l net.Listener, p *conn.Poller, end func(*held)) error {
	h, err := connect(l)
	if err != nil {
		return err
	}
	defer h.leave()
	h.drain(p)
	if end(h); !h.over() {
		return errors.New("it does not end")
	}
	return nil
}

func descriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatalf("descriptors: %v", err)
	}
	return len(all)
}
