package chaos

import (
	"fmt"
	"testing"
	"time"
)

const (
	// beat is the heartbeat of these tests, within which streams are told to look again.
	beat = 3 * time.Second
	// prompt is how long an event of a todo may take on a busy machine while nothing is wrong.
	prompt = 3 * time.Second
	// starting is how long a todohub takes to start and to tell that it has.
	starting = 5 * time.Second
)

// ordeal is something that happens to what brings the events of todos.
type ordeal struct {
	name string
	// befall lets it happen, and returns when it is over.
	befall func(st *stage)
}

func ordeals() []ordeal {
	cutOff := func(replica string) func(*stage) {
		return func(st *stage) {
			st.networks[replica].stall()
			st.rest(size(7*time.Second, 20*time.Second))
			st.networks[replica].heal()
		}
	}
	return []ordeal{
		{"Redis killed", func(st *stage) {
			killRedis(st)
			st.rest(size(3*time.Second, 15*time.Second))
			restartRedis(st)
		}},
		{"Redis black-holed for an edge", cutOff("edge-1")},
		{"Redis black-holed for a todohub", cutOff("todohub-1")},
		{"a todohub killed", func(st *stage) {
			network := st.networks["todohub-1"]
			network.stall() // so that events wait in its memory when it dies
			before := st.ledger.answers()
			st.wait(10*time.Second, "calls are answered without Redis", func() bool { return st.ledger.answers() >= before+12 })
			st.Replica("todohub-1").Kill()
			network.cut()
			network.heal()
			if err := st.Restart(st.t.Context(), "todohub-1"); err != nil {
				st.t.Fatal(err)
			}
		}},
	}
}

// Streams with todos hear of every change, by its event or because they are told to look again.
func TestAFaultLeavesNoTodoUnheard(t *testing.T) {
	t.Parallel()
	demand(t, undergo(t, built, ordeals()...))
}

func TestAnOutageLeavesTodosUnheardIfStreamsAreNotToldToLook(t *testing.T) {
	t.Parallel()
	bin := mutant(t, mutation{
		binaries: []string{"edge"}, file: "services/edge/internal/stream/look.go",
		old: "	case l.wake <- struct{}{}:\n", new: "	case chan struct{}(nil) <- struct{}{}:\n",
	})
	demandFaults(t, undergo(t, bin, ordeals()[0]), "not heard of")
}

func TestADeafTodohubLeavesTodosUnheardIfItDoesNotTell(t *testing.T) {
	t.Parallel()
	bin := mutant(t, mutation{
		binaries: []string{"todohub"}, file: "pkg/bus/redisbus/publish.go",
		old: "	if b.deps.Dropped == nil || ", new: "	if true || b.deps.Dropped == nil || ",
	})
	demandFaults(t, undergo(t, bin, ordeals()[2]), "not heard of")
}

func TestACrashLeavesTodosUnheardIfTheStartIsNotTold(t *testing.T) {
	t.Parallel()
	bin := mutant(t, mutation{
		binaries: []string{"todohub"}, file: "services/todohub/start.go",
		old: "	if lifecycle.Sleep(ctx, startAfter) {\n", new: "	if false && lifecycle.Sleep(ctx, startAfter) {\n",
	})
	demandFaults(t, undergo(t, bin, ordeals()[3]), "not heard of")
}

// undergo lets each ordeal happen once, one after the other, while todos move from user to user.
func undergo(t *testing.T, bin string, all ...ordeal) (faults []string) {
	st := set(t, setting{bin: bin, environ: []string{"HUB_HEARTBEAT_INTERVAL=" + beat.String()}})
	portals := st.portals()
	for _, p := range portals {
		p.topics = "todo"
	}
	st.openTabs(users(40), portals...)
	stop := st.pushing(&load{portals: portals, users: users(40), ledger: st.ledger, name: "todo", rate: 30, todos: true})
	var past []suffered
	for _, o := range all {
		began := time.Now()
		o.befall(st)
		past = append(past, suffered{began, time.Now()})
		st.rest(starting + beat + 2*time.Second) // so that no ordeal makes up for another one
	}
	stop()
	st.rest(prompt)

	deeds, _ := st.ledger.all()
	heard := 0
	for _, d := range deeds {
		limit := d.answered.Add(prompt)
		for _, s := range past {
			// What was under way when it began counts, and what came before everybody had noticed its end.
			if d.answered.After(s.began.Add(-time.Second)) && d.answered.Before(s.healed.Add(noticing)) {
				limit = s.healed.Add(noticing + starting + beat)
			}
		}
		for _, user := range d.users {
			if at, ok := heardOf(st.tabs[user], d); !ok || at.After(limit) {
				faults = append(faults, fmt.Sprintf("%s of %s, answered %s, is not heard of in time: %v at %s",
					d.id, user, d.answered.Format(clock), ok, at.Format(clock)))
				continue
			}
			heard++
		}
	}
	t.Logf("%d ordeals, %d calls, heard of by %d users, not by %d", len(past), len(deeds), heard, len(faults))
	for user, tab := range st.tabs {
		if opens, ended := tab.openings(); len(opens) != 1 || ended != nil {
			faults = append(faults, fmt.Sprintf("the stream of %s was interrupted: %v, %v", user, opens, ended))
		}
	}
	return faults[:min(len(faults), 20)]
}

// heardOf tells when a user was told of a change: by its event, or after the change by one that tells to look.
func heardOf(t *tab, d deed) (at time.Time, ok bool) {
	for _, e := range t.seen() {
		if e.kind == "todo" && (e.id == d.id && !e.at.Before(d.sent) || e.id == "" && !e.at.Before(d.answered)) {
			return e.at, true
		}
	}
	return time.Time{}, false
}
