package chaos

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// healing is how long an event may take after Redis is back.
	healing = 10 * time.Second
	// noticing is how long a replica may take a dead link for a quiet one.
	noticing = 5 * time.Second
	// scheduling is what a busy machine adds to that.
	scheduling = 500 * time.Millisecond
)

// outage is something that happens to Redis, or to the way there.
type outage struct {
	name  string
	begin func(st *stage)
	lasts time.Duration
	// end is nil when the outage is over at once, as far as the network can tell.
	end func(st *stage)
	// notice are the replicas that must find out by themselves.
	notice []string
}

func outages() []outage {
	everywhere := []string{"edge-1", "edge-2", "messagehub-1", "messagehub-2"}
	stall := func(replicas ...string) func(*stage) { return each(replicas, (*proxy).stall) }
	heal := func(replicas ...string) func(*stage) { return each(replicas, (*proxy).heal) }
	return []outage{
		{name: "killed", begin: killRedis, lasts: size(3*time.Second, 15*time.Second), end: restartRedis},
		{name: "restarted", begin: func(st *stage) { killRedis(st); restartRedis(st) }},
		{
			name: "paused", lasts: size(3*time.Second, 15*time.Second),
			begin: func(st *stage) { st.signalRedis(syscall.SIGSTOP) },
			end:   func(st *stage) { st.signalRedis(syscall.SIGCONT) },
		},
		{name: "flushed", begin: func(st *stage) { st.flushRedis() }},
		{
			name: "black-holed", lasts: size(7*time.Second, 60*time.Second),
			begin: stall(everywhere...), end: heal(everywhere...), notice: everywhere,
		},
		{
			name: "black-holed for one edge", lasts: size(7*time.Second, 20*time.Second),
			begin: stall("edge-1"), end: heal("edge-1"), notice: []string{"edge-1"},
		},
		{
			name: "behind links that died", begin: each(everywhere, (*proxy).abandon), notice: everywhere,
			lasts: size(6*time.Second, 15*time.Second),
		},
	}
}

func each(replicas []string, do func(*proxy)) func(*stage) {
	return func(st *stage) {
		for _, replica := range replicas {
			do(st.networks[replica])
		}
	}
}

func killRedis(st *stage) { st.Redis.Kill() }

func restartRedis(st *stage) {
	if err := st.Redis.Restart(st.t.Context()); err != nil {
		st.t.Fatal(err)
	}
}

func (st *stage) signalRedis(sig syscall.Signal) {
	if err := st.Redis.Signal(sig); err != nil {
		st.t.Fatal(err)
	}
}

func (st *stage) flushRedis() {
	conn, err := net.Dial("unix", strings.TrimPrefix(st.Redis.Address, "unix://"))
	if err != nil {
		st.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write([]byte("FLUSHALL\r\n")); err != nil {
		st.t.Fatal(err)
	}
	if answer, err := bufio.NewReader(conn).ReadString('\n'); answer != "+OK\r\n" {
		st.t.Fatalf("FLUSHALL: %q, %v", answer, err)
	}
}

func TestAnOutageOfRedisLosesNoEvent(t *testing.T) {
	t.Parallel()
	demand(t, suffer(t, built, size(1, 3), outages()))
}

func TestABlackHoleLosesEventsWithoutCatchUp(t *testing.T) {
	t.Parallel()
	bin := mutant(t, mutation{
		binaries: []string{"edge"},
		file:     "services/edge/internal/catchup/catchup.go",
		old:      "	f.gaps++\n	f.broken = true\n",
		new:      "	if f.gaps++; f.gaps > 2 {\n		return\n	}\n	f.broken = true\n",
	})
	demandFaults(t, suffer(t, bin, 1, only("black-holed for one edge")), "events lost")
}

func TestADeadLinkLosesEventsWithoutItsProbe(t *testing.T) {
	t.Parallel()
	bin := mutant(t, mutation{
		binaries: []string{"edge", "messagehub"},
		file:     "pkg/redis/subscription.go",
		old:      "ps.ReceiveTimeout(ctx, s.deps.Silence)",
		new:      "ps.ReceiveTimeout(ctx, 0)",
	})
	demandFaults(t, suffer(t, bin, 1, only("behind links that died")), "events lost", "events late")
}

func only(name string) []outage {
	for _, o := range outages() {
		if o.name == name {
			return []outage{o}
		}
	}
	return nil
}

// suffered is an outage that is over.
type suffered struct{ began, healed time.Time }

// suffer lets each outage happen a few times, one after the other, under steady calls.
func suffer(t *testing.T, bin string, times int, all []outage) (faults []string) {
	st := set(t, setting{bin: bin})
	portals := st.portals()
	st.open(users(40), portals...)
	stop := st.pushing(&load{
		portals: portals, users: users(40), ledger: st.ledger, name: "redis", rate: 40, targets: 2, readEvery: 2,
	})
	var past []suffered
	for range times {
		for _, o := range all {
			s, fault := st.suffer(o)
			past = append(past, s)
			faults = append(faults, fault...)
		}
	}
	stop()

	found := st.verdict(portals[0], promise{within: healing, repeats: len(past), from: func(answered time.Time) time.Time {
		for _, s := range past {
			// What was under way when it began counts.
			if answered.After(s.began.Add(-time.Second)) && answered.Before(s.healed) {
				return s.healed
			}
		}
		return answered
	}})
	_, failures := st.ledger.all()
	t.Logf("%d outages: %v", len(past), found)
	faults = append(faults, found.faults()...)
	if len(failures) > 0 {
		faults = append(faults, fmt.Sprintf("%d calls failed, the first with %v", len(failures), failures[0].err))
	}
	for user, tab := range st.tabs {
		if opens, ended := tab.openings(); len(opens) != 1 || ended != nil {
			faults = append(faults, fmt.Sprintf("the stream of %s was interrupted: %v, %v", user, opens, ended))
		}
	}
	return faults
}

// suffer lets an outage happen once, and waits until all is well again.
func (st *stage) suffer(o outage) (s suffered, faults []string) {
	st.t.Helper()
	s.began = time.Now()
	o.begin(st)
	if o.end == nil {
		s.healed = time.Now()
	}
	if o.lasts > 0 {
		st.rest(o.lasts)
	}
	if o.end != nil {
		o.end(st)
		s.healed = time.Now()
	}
	var noticed time.Duration
	for _, replica := range o.notice {
		line, found := st.log.find(replica, `"channel is not heard" channel={hub}:events`, s.began)
		after := line.at.Sub(s.began)
		if !found || after > noticing+scheduling {
			faults = append(faults, fmt.Sprintf("%s noticed %v after %v that Redis is %s", replica, found, after, o.name))
		}
		noticed = max(noticed, after)
	}
	well := st.settled(healing)
	st.t.Logf("Redis %s: noticed after %v, all events seen: %v, %v after it was over", o.name,
		noticed.Round(time.Millisecond), well, time.Since(s.healed).Round(time.Millisecond))
	st.rest(time.Second) // so that outages do not run into each other
	return s, faults
}
