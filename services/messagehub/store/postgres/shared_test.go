package postgres_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/pkg/store/trip"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/internal/storetest"
	"example.com/hub/services/messagehub/store/postgres"
)

// pushes are n, of new keys in the opposite order, each to one more user than the one before it.
func pushes(n int) (all []inbox.PushParams) {
	for i := range n {
		p := pushTo(i + 1)
		p.SourceMessageID = fmt.Sprint("m", n-i)
		all = append(all, p)
	}
	return all
}

// reads are the mark-reads of the first user of each push.
func reads(all []inbox.PushParams) (reads []inbox.MarkReadParams) {
	for _, p := range all {
		reads = append(reads, inbox.MarkReadParams{
			Stamp: inbox.Stamp{ClientID: "portal", Now: start}, SourceMessageID: p.SourceMessageID, Username: p.Targets[0],
		})
	}
	return reads
}

// wantRecord checks that the created record is one of the message.
func wantRecord(t *testing.T, s *postgres.Store, c inbox.Created, sourceMessageID string) {
	t.Helper()
	if !slices.ContainsFunc(recordsOf(t, s, c.Username), func(r inbox.Record) bool {
		return r.ID == c.ID && r.SourceMessageID == sourceMessageID
	}) {
		t.Errorf("%s has no record %s of %s", c.Username, c.ID, sourceMessageID)
	}
}

func wantAlone(t *testing.T, err error, want trip.Alone) {
	t.Helper()
	var got trip.Alone
	if !errors.As(err, &got) || got != want {
		t.Errorf("got %v, want %+v", err, want)
	}
}

// TestSharedPushesAreLogged checks that each push has its own row of the log, with its own events.
func TestSharedPushesAreLogged(t *testing.T) {
	s := open(t, pgtest.Schema(t))
	all := pushes(5)
	pushOnce(t, s, all[2], 3)
	outcomes, err := s.PushShared(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	wantAlone(t, outcomes[2].Err, trip.Alone{})
	want := map[bus.Position][]string{}
	for i, o := range outcomes {
		if i == 2 {
			continue
		}
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		wantCreated(t, o.Result, all[i].Targets, 0)
		wantRecord(t, s, o.Result.Created[i], all[i].SourceMessageID)
		for _, c := range o.Result.Created {
			want[o.Result.Position] = append(want[o.Result.Position], c.Username+" "+c.ID)
		}
	}
	w, err := s.Rows(t.Context(), bus.Position{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := s.Events(t.Context(), w.Rows[1:])
	if err != nil {
		t.Fatal(err)
	}
	got := map[bus.Position][]string{}
	for _, f := range frames {
		for _, e := range f.Events {
			got[f.Position] = append(got[f.Position], e.User+" "+e.ID)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 4 {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestSharedReadsAreLogged is TestSharedPushesAreLogged for mark-reads.
func TestSharedReadsAreLogged(t *testing.T) {
	s := open(t, pgtest.Schema(t))
	all := pushes(4)
	for i, p := range all[1:] {
		pushOnce(t, s, p, i+2)
	}
	before, err := s.Rows(t.Context(), bus.Position{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := s.MarkReadShared(t.Context(), reads(all))
	if err != nil {
		t.Fatal(err)
	}
	if outcomes[0] != (trip.Outcome[inbox.MarkReadResult]{}) {
		t.Errorf("no message: %+v", outcomes[0])
	}
	after, err := s.Rows(t.Context(), before.Rows[2].Position, 100)
	if err != nil || len(after.Rows) != 3 {
		t.Fatalf("%d rows, %v", len(after.Rows), err)
	}
	for i, o := range outcomes[1:] {
		found := false
		for _, r := range after.Rows {
			found = found || r.Position == o.Result.Position && r.SourceMessageID == all[i+1].SourceMessageID && r.Username == all[i+1].Targets[0] && r.Time.Equal(start)
		}
		if o.Err != nil || o.Result.Switched != 1 || !found {
			t.Errorf("%+v is not in the log: %+v", o, after.Rows)
		}
	}
}

// TestLostSharedStatement loses the answer after the server did its work: each call is then made alone, and
// answers what it did all the same.
func TestLostSharedStatement(t *testing.T) {
	dsn := pgtest.Schema(t)
	direct := open(t, dsn)
	p, through := pgtest.Through(t, dsn)
	s := open(t, through)
	all := pushes(3)
	p.Lose("SELECT 3", func() {})
	_, err := s.PushShared(t.Context(), all)
	wantAlone(t, err, trip.Alone{Unknown: true})
	for _, push := range all {
		result, err := s.PushAlone(t.Context(), push, true)
		if err != nil || !result.Position.IsZero() {
			t.Errorf("push: %v at %v, want an unknown position", err, result.Position)
		}
		wantCreated(t, result, push.Targets, 0)
		wantRecord(t, direct, result.Created[0], push.SourceMessageID)
	}
	p.Lose("SELECT 3", func() {})
	_, err = s.MarkReadShared(t.Context(), reads(all))
	wantAlone(t, err, trip.Alone{Unknown: true})
	for _, read := range reads(all) {
		if result, err := s.MarkReadAlone(t.Context(), read, true); err != nil || result.Switched != 1 || !result.Position.IsZero() {
			t.Errorf("mark read: %+v, %v; want 1 switched, at an unknown position", result, err)
		}
	}
}

// TestSharedPushesWaitForEachOtherInOneOrder has two statements with the same keys, listed the other way round,
// whose server would not notice for a minute that they wait for each other.
func TestSharedPushesWaitForEachOtherInOneOrder(t *testing.T) {
	dsn := pgtest.With(pgtest.Schema(t), "deadlock_timeout", "60000")
	s := open(t, dsn)
	all := pushes(3)
	holder, err := pgtest.Connect(t, dsn).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.Exec(t.Context(), `INSERT INTO message (source_message_id, source_app_id) VALUES ('m2', 'erp')`); err != nil {
		t.Fatal(err)
	}
	back := slices.Clone(all)
	slices.Reverse(back)
	var created [2]int
	var group errgroup.Group
	for n, pushes := range [][]inbox.PushParams{all, back} {
		group.Go(func() error {
			outcomes, err := s.PushShared(t.Context(), pushes)
			for _, o := range outcomes {
				created[n] += len(o.Result.Created)
			}
			return err
		})
		pgtest.Waiting(t, dsn, "insert_pushes", n+1)
	}
	end(t, holder) // with the key stored, so that two are left
	if err := group.Wait(); err != nil || created[0]+created[1] != 3+1 {
		t.Errorf("%v created, %v", created, err)
	}
}

func TestPoisonedPushes(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	if _, err := pgtest.Connect(t, dsn).Exec(t.Context(), `ALTER TABLE body ADD CHECK (title <> '`+storetest.Poison+`')`); err != nil {
		t.Fatal(err)
	}
	storetest.PoisonedPushes(t, s)
}

// TestSharedPlansAreFlat checks that shared statements go by keys, and join their own rows without comparing
// each with all.
func TestSharedPlansAreFlat(t *testing.T) {
	const calls = 64
	conn := filled(t)
	var news []inbox.PushParams
	var olds []inbox.MarkReadParams
	for i := range calls {
		p := pushTo(2)
		p.SourceMessageID = fmt.Sprint("new-", i)
		news = append(news, p)
		olds = append(olds, inbox.MarkReadParams{Stamp: p.Stamp, SourceMessageID: fmt.Sprint("message-", i), Username: "ann"})
	}
	pushArgs, _, err := postgres.PushesArgs(news)
	if err != nil {
		t.Fatal(err)
	}
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name, query string
			args        []any
			indexes     []string
		}{
			{"pushes", postgres.InsertPushes, pushArgs, nil},
			{"mark-reads", postgres.UpdateReads, postgres.ReadsArgs(olds), []string{"message_source_message_id_source_app_id_key", "inbox_pkey"}},
		} {
			t.Run(planner+"/"+tt.name, func(t *testing.T) {
				if _, err := conn.Exec(t.Context(), "BEGIN"); err != nil {
					t.Fatal(err)
				}
				plan := pgtest.Explain(t, conn, tt.query, tt.args...)
				if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
					t.Fatal(err)
				}
				wantScans(t, plan, tt.indexes...)
				for _, scan := range plan.Find("CTE Scan", "Function Scan", "Bitmap Heap Scan") {
					if scan.Loops > 1 || scan.Type == "Bitmap Heap Scan" {
						t.Errorf("each row is compared with all: %+v", scan)
					}
				}
				// For each call some blocks of its rows and of their indexes, read and written.
				if n := plan.Hit + plan.Read; n > 60*calls {
					t.Errorf("it looks at %d blocks: %+v", n, plan)
				}
			})
		}
	}
}
