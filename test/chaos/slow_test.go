package chaos

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/hub/pkg/lifecycle"
)

// sloth is the user whose client never reads.
const sloth = "sloth"

func TestASlowClientDelaysNobody(t *testing.T) {
	t.Parallel()
	demand(t, slow(t, built))
}

func TestASlowClientDelaysOthersWhenWritesWait(t *testing.T) {
	t.Parallel()
	bin := mutant(t, mutation{
		binaries: []string{"edge"},
		file:     "services/edge/internal/conn/writer.go",
		old:      "	n, err := tryWrite(c.raw, frame)\n",
		new:      "	_ = c.conn.SetWriteDeadline(time.Now().Add(writeTimeout))\n	n, err := c.conn.Write(frame)\n",
	})
	demandFaults(t, slow(t, bin), "delays")
}

// slow takes turns: in one the client of one user reads like all the others, in the next it does not.
func slow(t *testing.T, bin string) (faults []string) {
	names := users(size(200, 1000))
	st := set(t, setting{bin: bin})
	p := st.portal(st.edges[0].Public)
	st.open(names, p)
	stop := st.pushing(&load{
		portals: []*portal{p}, users: names, ledger: st.ledger, name: "all", rate: 50, targets: size(20, 50),
	})
	// Long ids make long events, so that what the kernel takes for one client is soon full.
	own := newLedger()
	stopOwn := st.pushing(&load{
		portals: []*portal{p}, users: []string{sloth}, ledger: own, name: strings.Repeat("€", 240), rate: 50, targets: 1, readEvery: 1,
	})
	var calm, troubled []turn
	dropped := 0
	for range size(2, 5) {
		calm = append(calm, st.turn(func(ctx context.Context) { newTab(sloth, p).run(ctx) }))
		troubled = append(troubled, st.turn(func(ctx context.Context) { dropped += st.neverRead(ctx, p) }))
	}
	stop()
	stopOwn()

	found := st.verdict(p, promise{within: 5 * time.Second})
	t.Logf("%d clients: %v; the one that never reads was given up %d times", len(names), found, dropped)
	faults = append(faults, found.faults()...)
	for _, l := range []*ledger{st.ledger, own} {
		if _, failures := l.all(); len(failures) > 0 {
			faults = append(faults, fmt.Sprintf("%d calls failed, the first with %v", len(failures), failures[0].err))
		}
	}
	if dropped == 0 {
		faults = append(faults, "the test is void: the client that never reads was never given up")
	}
	for user, tab := range st.tabs {
		if opens, _ := tab.openings(); len(opens) != 1 {
			faults = append(faults, fmt.Sprintf("the stream of %s was interrupted", user))
		}
	}
	slower := compare(t, found.seen, calm, troubled)
	if !*full {
		return faults // the few turns of a short run tell more of the machine than of Hub
	}
	return append(faults, slower...)
}

// turn is a part of the time.
type turn struct{ from, to time.Time }

// turn lets a client be there for a while.
func (st *stage) turn(client func(context.Context)) turn {
	st.t.Helper()
	ctx, cancel := context.WithTimeout(st.t.Context(), size(5*time.Second, 10*time.Second))
	defer cancel()
	now := turn{from: time.Now()}
	client(ctx)
	now.to = time.Now()
	return now
}

// neverRead connects and never reads. Once the connection is dropped it does so again, until ctx
// ends. It tells how often that was.
func (st *stage) neverRead(ctx context.Context, p *portal) (dropped int) {
	st.t.Helper()
	small := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		var err error
		if err := raw.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		}); err != nil {
			return err
		}
		return err
	}}
	for {
		conn, err := small.DialContext(ctx, "tcp", p.address)
		if ctx.Err() != nil {
			return dropped
		}
		if err != nil {
			st.t.Fatal(err)
		}
		if _, err := p.streamOver(context.WithoutCancel(ctx), conn, sloth, ""); err != nil {
			st.t.Fatal(err)
		}
		for !broken(conn) && lifecycle.Sleep(ctx, 20*time.Millisecond) {
			continue
		}
		_ = conn.Close()
		if ctx.Err() != nil {
			return dropped
		}
		dropped++
	}
}

// broken tells whether the other side has reset a connection, without reading from it.
func broken(conn net.Conn) bool {
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return true
	}
	fault := 0
	err = raw.Control(func(fd uintptr) {
		fault, _ = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_ERROR)
	})
	return err != nil || fault != 0
}

// compare compares the delays of the turns with those of the calm ones, whose spread is the noise.
func compare(t *testing.T, seen []sight, calm, troubled []turn) (faults []string) {
	t.Helper()
	for _, quantile := range []float64{0.5, 0.99} {
		usual, now := delays(seen, calm, quantile), delays(seen, troubled, quantile)
		t.Logf("quantile %v of the delays of the others: %v, and %v beside a client that never reads", quantile, usual, now)
		bound := slices.Max(usual)*5/4 + 20*time.Millisecond
		if median := now[len(now)/2]; median > bound {
			faults = append(faults, fmt.Sprintf("delays grow beside a client that never reads: quantile %v is %v, more than %v", quantile, median, bound))
		}
	}
	return faults
}

// delays gives a quantile of each turn, in order. They count from the call, since an event may come
// before the answer.
func delays(seen []sight, turns []turn, quantile float64) []time.Duration {
	var all []time.Duration
	for _, turn := range turns {
		var delays []time.Duration
		for _, s := range seen {
			if s.sent.After(turn.from) && s.sent.Before(turn.to) {
				delays = append(delays, s.came.Sub(s.sent))
			}
		}
		all = append(all, ofQuantile(delays, quantile))
	}
	slices.Sort(all)
	return all
}
