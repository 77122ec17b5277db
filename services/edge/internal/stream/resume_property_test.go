package stream_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/stream"
)

// world is two edges that hear the same events, each with gaps of its own, and clients that move
// between them.
type world struct {
	t     *testing.T
	rt    *rapid.T
	edges []*replica
	users []*person
	count int // of events, over all users
	// slow transactions are listed in the order in which they began, but were heard in the order in
	// which they were committed. Clients then cannot get all in one order.
	slow bool
}

// replica is an edge and what its bus does.
type replica struct {
	*stream.Broker
	bus    *feed
	cut    bool        // it hears nothing
	broken bool        // it hears again, but what it missed has not come yet
	missed []bus.Event // not heard
	held   []bus.Event // heard while broken
}

// person is a user with one client.
type person struct {
	name    string
	sent    []string        // ids of the user's events, in order
	covered map[string]bool // what the client got, or was told to look for
	last    string          // the id that it saw last
	conn    net.Conn
	fetched bool // somebody asked for the newest record since the client connected
}

// Newest tells the truth: the client that hears of it looks for all that is there.
func (w *world) Newest(_ context.Context, user string) (string, error) {
	p := w.users[slices.IndexFunc(w.users, func(p *person) bool { return p.name == user })]
	p.fetched = true
	if len(p.sent) == 0 {
		return "", nil
	}
	return p.sent[len(p.sent)-1], nil
}

func (w *world) publish(p *person, n int) {
	for range n {
		w.count++
		e := message(p.name, fmt.Sprint(w.count))
		e.Time = time.Now()
		if w.slow {
			e.Time = e.Time.Add(-time.Duration(rapid.IntRange(0, 4_000).Draw(w.rt, "ms under way")) * time.Millisecond)
		}
		p.sent = append(p.sent, e.ID)
		for _, r := range w.edges {
			switch {
			case r.cut:
				r.missed = append(r.missed, e)
			case r.broken:
				r.held = append(r.held, e)
			default:
				r.bus.publish(e)
			}
		}
	}
	w.check()
}

// hearAgain ends a break; what was missed comes later.
func (r *replica) hearAgain() {
	if r.cut {
		r.cut, r.broken = false, true
		r.bus.gap()
	}
}

func (r *replica) makeUp() {
	if !r.broken {
		return
	}
	slices.SortStableFunc(r.missed, func(a, b bus.Event) int { return a.Time.Compare(b.Time) })
	r.bus.publishLate(r.missed...)
	r.broken = false
	r.bus.whole()
	r.bus.publish(r.held...)
	r.missed, r.held = nil, nil
}

func (w *world) connect(p *person, r *replica) {
	p.disconnect()
	p.fetched = false
	p.conn = pipeWith(w.t, r.Broker, p.name, p.last)
	w.check()
}

func (p *person) disconnect() {
	if p.conn != nil {
		_ = p.conn.Close()
		p.conn = nil
	}
}

// check reads what the clients got: only their own events, in order, none left out.
func (w *world) check() {
	w.rt.Helper()
	synctest.Wait()
	for _, p := range w.users {
		if p.conn == nil {
			continue
		}
		got := idsIn(readAll(w.t, p.conn))
		if p.fetched {
			p.fetched = false
			p.cover(len(p.sent))
		}
		for _, id := range got {
			n := slices.Index(p.sent, id)
			if n < 0 || !w.slow && !p.covered[id] && len(p.covered) < n {
				w.rt.Fatalf("%s heard %q of %q after %v", p.name, id, p.sent, p.covered)
			}
			p.covered[id] = true
			p.last = id
		}
	}
}

// cover notes that the client was told to look for the first n.
func (p *person) cover(n int) {
	for _, id := range p.sent[:n] {
		p.covered[id] = true
	}
}

func TestWhoComesBackMissesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Without a deadline, which may not be asked for here.
		rapid.Check(struct{ testing.TB }{t}, func(rt *rapid.T) { liveThrough(t, rt) })
	})
}

func liveThrough(t *testing.T, rt *rapid.T) {
	w := &world{t: t, rt: rt, slow: rapid.Bool().Draw(rt, "slow transactions")}
	ctx, stop := context.WithCancel(t.Context())
	for range 2 {
		r := &replica{}
		r.Broker, r.bus = newBroker(t, stream.Deps{Inbox: w})
		go func() { _ = r.Run(ctx) }()
		w.edges = append(w.edges, r)
	}
	for _, name := range []string{"alice", "bob"} {
		p := &person{name: name, covered: map[string]bool{}}
		w.users = append(w.users, p)
		w.publish(p, 1)
		p.cover(1)
		p.last = p.sent[0]
	}
	someone := rapid.Custom(func(t *rapid.T) *person { return rapid.SampledFrom(w.users).Draw(t, "user") })
	edge := rapid.Custom(func(t *rapid.T) *replica { return w.edges[rapid.IntRange(0, 1).Draw(t, "edge")] })
	rt.Repeat(map[string]func(*rapid.T){
		"publish":    func(t *rapid.T) { w.publish(someone.Draw(t, "to"), rapid.IntRange(1, 5).Draw(t, "n")) },
		"connect":    func(t *rapid.T) { w.connect(someone.Draw(t, "who"), edge.Draw(t, "to")) },
		"disconnect": func(t *rapid.T) { someone.Draw(t, "who").disconnect() },
		"cut": func(t *rapid.T) {
			if r := edge.Draw(t, "what"); !r.broken {
				r.cut = true
			}
		},
		"hear again": func(t *rapid.T) { edge.Draw(t, "what").hearAgain() },
		"make up":    func(t *rapid.T) { edge.Draw(t, "what").makeUp(); w.check() },
		"wait":       func(t *rapid.T) { pass(time.Duration(rapid.IntRange(1, 30).Draw(t, "s")) * time.Second) },
		"":           func(*rapid.T) { w.check() },
	})

	for _, r := range w.edges {
		r.hearAgain()
		r.makeUp()
	}
	w.check()
	for i, p := range w.users {
		w.connect(p, w.edges[i%2])
		if len(p.covered) != len(p.sent) {
			rt.Fatalf("%s got %v of %q", p.name, p.covered, p.sent)
		}
		p.disconnect()
	}
	stop()
	for _, r := range w.edges {
		if err := r.Shutdown(context.Background()); err != nil {
			rt.Fatalf("shutdown: %v", err)
		}
	}
}
