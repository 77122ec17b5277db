package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/hub/pkg/lifecycle"
)

const (
	// uniqueness is how long a user may have two streams.
	uniqueness = 15 * time.Second
	// lossPercent of the messages by which edges tell each other of streams are lost.
	lossPercent = 20
)

func TestRacingConnectsLeaveTheNewestStream(t *testing.T) {
	t.Parallel()
	demand(t, race(t, built))
}

func TestRacingConnectsLeaveOldStreamsWithoutReconciling(t *testing.T) {
	t.Parallel()
	bin := mutant(t, mutation{
		binaries: []string{"edge"},
		file:     "services/edge/internal/stream/claimer.go",
		old:      "			c.reconcile(ctx, n)\n",
		new:      "",
	})
	demandFaults(t, race(t, bin), "streams")
}

// visit is one connection of a client that does not come back.
type visit struct {
	user string
	edge int
	// asked and began are before and after the connect.
	asked, began time.Time
	err          error

	mu       sync.Mutex
	ended    time.Time
	messages int
}

// visit connects, and goes on to read until the stream ends.
func (p *portal) visit(ctx context.Context, v *visit) (reading func()) {
	v.asked = time.Now()
	conn, body, err := p.stream(ctx, v.user, "")
	v.began, v.err = time.Now(), err
	if err != nil {
		return func() {}
	}
	return func() {
		defer func() { _ = conn.Close() }()
		defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
		reader := eventReader{lines: body}
		for {
			m, err := reader.next()
			v.mu.Lock()
			switch {
			case err != nil:
				v.ended = time.Now()
			case m.kind == "message":
				v.messages++
			}
			v.mu.Unlock()
			if err != nil {
				return
			}
		}
	}
}

func (v *visit) lasts() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.err == nil && v.ended.IsZero()
}

func (v *visit) got() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.messages
}

// race lets every user connect many times at once, at three edges that do not hear all of each other.
func race(t *testing.T, bin string) (faults []string) {
	names, connects := users(size(10, 50)), size(100, 1000)
	st := set(t, setting{
		bin: bin, edges: 3,
		environ: []string{"HUB_HEARTBEAT_INTERVAL=15s"},
		answers: func(replica string) func(string) bool {
			return func(channel string) bool {
				return strings.HasPrefix(replica, "edge-") && strings.Contains(channel, "claims") && rand.IntN(100) < lossPercent
			}
		},
	})
	portals := st.portals()
	visits := make([]*visit, connects)
	ctx, cancel := context.WithCancel(t.Context())
	var connecting, reading sync.WaitGroup
	defer reading.Wait()
	defer cancel()
	for i := range visits {
		v := &visit{user: names[i%len(names)], edge: rand.IntN(len(portals))}
		visits[i] = v
		connecting.Go(func() {
			lifecycle.Sleep(ctx, rand.N(size(time.Second, 3*time.Second)))
			reading.Go(portals[v.edge].visit(ctx, v))
		})
	}
	connecting.Wait()

	last := time.Now()
	unique := st.comes(uniqueness, func() bool { return len(crowded(visits)) == 0 })
	t.Logf("%d connects of %d users, one stream for each: %v, after %v",
		connects, len(names), unique, time.Since(last).Round(time.Millisecond))
	st.rest(time.Until(last.Add(uniqueness)))
	return append(survivors(visits, names), st.reached(portals[0], visits, names)...)
}

// open gives the streams of each user that last.
func open(visits []*visit) map[string][]*visit {
	open := map[string][]*visit{}
	for _, v := range visits {
		if v.lasts() {
			open[v.user] = append(open[v.user], v)
		}
	}
	return open
}

// crowded gives the users with more than one stream.
func crowded(visits []*visit) (users []string) {
	for user, streams := range open(visits) {
		if len(streams) > 1 {
			users = append(users, user)
		}
	}
	return users
}

// survivors checks that each user has one stream, and no newer one that has ended.
func survivors(visits []*visit, names []string) (faults []string) {
	left := open(visits)
	for _, v := range visits {
		if v.err != nil {
			faults = append(faults, fmt.Sprintf("a connect of %s failed: %v", v.user, v.err))
		}
	}
	for _, user := range names {
		if n := len(left[user]); n != 1 {
			faults = append(faults, fmt.Sprintf("%s has %d streams", user, n))
			continue
		}
		survivor := left[user][0]
		for _, v := range visits {
			if v.user == user && v.err == nil && v.asked.After(survivor.began) {
				faults = append(faults, fmt.Sprintf("%s has the stream at edge-%d that began at %v, not the one at edge-%d that was asked for %v later",
					user, survivor.edge+1, survivor.began, v.edge+1, v.asked.Sub(survivor.began)))
			}
		}
	}
	return faults
}

// reached checks that each user's stream gets a message, once.
func (st *stage) reached(p *portal, visits []*visit, names []string) (faults []string) {
	st.t.Helper()
	if err := p.push(st.t.Context(), "after", names); err != nil {
		return []string{err.Error()}
	}
	got := func() map[string]int {
		got := map[string]int{}
		for _, v := range visits {
			got[v.user] += v.got()
		}
		return got
	}
	st.comes(5*time.Second, func() bool {
		for _, user := range names {
			if got()[user] == 0 {
				return false
			}
		}
		return true
	})
	for user, n := range got() {
		if n != 1 {
			faults = append(faults, fmt.Sprintf("%s got a message on %d streams", user, n))
		}
	}
	return faults
}
