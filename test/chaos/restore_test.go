package chaos

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hub/contract"
	"example.com/hub/test/server"
	"example.com/hub/test/shape"
	"example.com/hub/test/shape/shapetest"
	"example.com/hub/test/source"
)

// A backup is taken while Hub works, and restored into a new PostgreSQL, whose transactions begin far
// below those of the old one. What was answered before the backup is there, and events are announced
// and resumed as ever.
func TestARestoredHubKeepsItsPromises(t *testing.T) {
	t.Parallel()
	st, faults := restore(t, built, size(3, 20))
	demand(t, faults)
	for i, edge := range st.edges {
		t.Run(fmt.Sprintf("contract through edge-%d", i+1), func(t *testing.T) { contract.Run(t, shapetest.Target(edge)) })
	}
}

func TestARestoredHubLosesEventsIfPositionsOnlyGrow(t *testing.T) {
	t.Parallel()
	bin := mutant(t, mutation{
		binaries: []string{"messagehub"},
		file:     "services/messagehub/internal/outbox/sweep.go",
		old:      "	o.settled = p\n",
		new:      "	if p.Compare(o.settled) < 0 {\n		return\n	}\n	o.settled = p\n",
	})
	_, faults := restore(t, bin, 2)
	demandFaults(t, faults, "events lost")
}

// beforehand is what was answered before a backup, and an event that came after it.
type beforehand struct {
	deeds []deed
	lost  string // the id of a record that the backup does not have
}

// restore gives a restored Hub whose messagehubs were killed some times, and what it broke.
func restore(t *testing.T, bin string, crashes int) (st *stage, faults []string) {
	home, known := backedUp(t, bin)
	st = set(t, setting{bin: bin, home: home, logins: logins(), environ: []string{"HUB_HEARTBEAT_INTERVAL=1s"}})
	faults = append(st.missing(known), st.comesBack(known.lost)...)
	faults = append(faults, st.crash(crashes)...)
	return st, append(faults, st.cleansed()...)
}

// backedUp gives the folder of a new cluster with the backup of a Hub that was working and is gone. It
// was taken and restored by the commands of the pages on backup and credentials, as the roles that these
// name.
func backedUp(t *testing.T, bin string) (home string, known beforehand) {
	st := set(t, setting{bin: bin})
	// The old server has seen many more transactions than the new one.
	st.query("messagehub", "DO $$ BEGIN FOR i IN 1..20000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$")
	portals := st.portals()
	stop := st.pushing(&load{
		portals: portals, users: olds(), ledger: st.ledger, name: "old", rate: 100, targets: 2, readEvery: 3,
	})
	st.wait(30*time.Second, "calls are answered", func() bool { return st.ledger.answers() >= 300 })

	began := time.Now()
	files := t.TempDir()
	for _, hub := range shape.Hubs() {
		url := strings.ToUpper(hub) + "_URL=" + st.Database(hub)
		if err := server.Script(t.Context(), files, commands(t, hub, "backup.md", "pg_dump "), url); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	known.deeds, _ = st.ledger.all()
	known.deeds = slices.DeleteFunc(known.deeds, func(d deed) bool { return !d.answered.Before(began) })
	if err := portals[0].push(t.Context(), "lost", olds()[:1]); err != nil {
		t.Fatal(err)
	}
	known.lost = st.recordOf(portals[0], olds()[0], "lost")
	st.Stop()

	home = shapetest.Home(t)
	restoreInto(t, home, files)
	return home, known
}

// logins are the roles of credentials.md, by the hub that logs in.
func logins() map[string]string {
	all := map[string]string{}
	for _, hub := range shape.Hubs() {
		all[hub] = hub + "_a"
	}
	return all
}

// restoreInto makes a cluster in home and fills it from the dumps in files.
func restoreInto(t *testing.T, home, files string) {
	t.Helper()
	pg, err := server.Postgres(t.Context(), filepath.Join(home, "postgres"), server.Volatile)
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Stop()
	for hub, login := range logins() {
		for statement := range strings.Lines(commands(t, hub, "credentials.md", "CREATE ROLE todohub ")) {
			if strings.HasPrefix(statement, "CREATE DATABASE") {
				continue // createdb does it, below
			}
			if _, err := pg.Query(t.Context(), "postgres", statement); err != nil {
				t.Fatal(err)
			}
		}
		err = server.Script(t.Context(), files, commands(t, hub, "backup.md", "pg_restore "),
			"ADMIN_URL="+pg.Address+" dbname=postgres", strings.ToUpper(hub)+"_URL="+pg.Address+" dbname="+hub+" user="+login)
		if err != nil {
			t.Fatal(err)
		}
	}
	foreign, err := pg.Query(t.Context(), "messagehub", foreignRows)
	if err != nil {
		t.Fatal(err)
	}
	if rows, reached, _ := strings.Cut(foreign, "|"); rows == "0" || reached != "f" {
		t.Fatalf("the test is void: the new server has reached the old positions: %s", foreign)
	}
}

// commands gives the block of a page of docs/operations that has a word in it. The pages speak of todohub,
// and the commands are those for the hub.
func commands(t *testing.T, hub, page, word string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(source.Root, "docs", "operations", page))
	if err != nil {
		t.Fatal(err)
	}
	for i, block := range strings.Split(string(text), "```") {
		if _, code, _ := strings.Cut(block, "\n"); i%2 == 1 && strings.Contains(code, word) {
			return strings.NewReplacer("todohub", hub, "TODOHUB", strings.ToUpper(hub)).Replace(code)
		}
	}
	t.Fatalf("%s has no block with %q", page, word)
	return ""
}

// olds are the users of the old Hub.
func olds() []string {
	all := users(20)
	for i := range all {
		all[i] = "old-" + all[i]
	}
	return all
}

// foreignRows counts the rows of the log whose transactions this server has not reached, and tells
// whether it has reached the position of the sweep.
const foreignRows = `SELECT count(e.*), bool_and(s.xid <= now.xmax)
	FROM (SELECT pg_snapshot_xmax(pg_current_snapshot())) AS now (xmax)
	CROSS JOIN event_sweep AS s
	LEFT JOIN event_log AS e ON e.xid > now.xmax`

// cleansed waits for the leader that follows the last one that was killed.
func (st *stage) cleansed() (faults []string) {
	deadline := time.Now().Add(15 * time.Second)
	for {
		foreign := st.query("messagehub", foreignRows)
		switch {
		case foreign == "0|t":
			return nil
		case time.Now().After(deadline):
			return []string{"rows and position of the old server are left in the log: " + foreign}
		}
		<-time.After(100 * time.Millisecond)
	}
}

func (st *stage) query(database, statement string) string {
	st.t.Helper()
	answer, err := st.Postgres.Query(st.t.Context(), database, statement)
	if err != nil {
		st.t.Fatal(err)
	}
	return answer
}

// missing compares what was answered before the backup with what is stored.
func (st *stage) missing(known beforehand) (faults []string) {
	found := map[string]bool{}
	for row := range strings.Lines(st.query("messagehub",
		`SELECT i.status, m.source_message_id, i.username FROM inbox AS i JOIN message AS m ON m.id = i.message_id`)) {
		found[strings.TrimSpace(row)] = true
	}
	records := 0
	for _, d := range known.deeds {
		for _, user := range d.users {
			records++
			key := "|" + d.id + "|" + user
			if !found["2"+key] && (d.kind == "read" || !found["1"+key]) {
				faults = append(faults, fmt.Sprintf("%s of %s at %s is not in the backup", d.kind, d.id, user))
			}
		}
	}
	st.t.Logf("%d records and reads were answered before the backup", records)
	return faults
}

// comesBack opens the stream of a user who saw an event of a record last that the backup does not have.
func (st *stage) comesBack(lost string) (faults []string) {
	st.t.Helper()
	p, user := st.portals()[1], olds()[0]
	newest := st.newest(p, user)
	t := newTab(user, p)
	t.lastID = lost
	ctx, cancel := context.WithCancel(st.t.Context())
	done := make(chan struct{})
	go func() { defer close(done); t.run(ctx) }()
	came := st.comes(10*time.Second, func() bool { return t.count("message") > 0 })
	cancel()
	<-done
	switch {
	case !came:
		return []string{"a client that comes back is not told to fetch its list"}
	case t.events[0].id != newest:
		return []string{fmt.Sprintf("a client that comes back is told of %s, want the newest record %s", t.events[0].id, newest)}
	}
	return nil
}

// newest gives the id of the user's newest record.
func (st *stage) newest(p *portal, user string) string {
	st.t.Helper()
	var answer struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := p.call(st.t.Context(), "GET", "/message-hub/inbox?size=1&username="+user, nil, &answer); err != nil || len(answer.Data) != 1 {
		st.t.Fatalf("newest record of %s: %v, %v", user, answer.Data, err)
	}
	return answer.Data[0].ID
}

// recordOf gives the id of a user's record of a message.
func (st *stage) recordOf(p *portal, user, message string) string {
	st.t.Helper()
	inbox, err := p.inbox(st.t.Context(), user)
	if err != nil {
		st.t.Fatal(err)
	}
	for id, m := range inbox {
		if m == message {
			return id
		}
	}
	st.t.Fatalf("%s has no record of %s", user, message)
	return ""
}
