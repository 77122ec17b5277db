package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/store/postgres"
)

// TestLargePush goes the way of a COPY, which the conformance suite is too small for.
func TestLargePush(t *testing.T) {
	s := open(t, pgtest.Schema(t))
	p := pushTo(postgres.CopyFrom + 5)
	all := p.Targets
	result, err := s.Push(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	wantCreated(t, result, all, 0)
	wantStored(t, s, result.Created, p.Content)

	// A part of the users is known, the content is another one.
	p.Targets, p.Content = append([]string{"a first one"}, all[:postgres.CopyFrom]...), "new"
	p.Targets = append(p.Targets, "z last one")
	result, err = s.Push(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	wantCreated(t, result, []string{"a first one", "z last one"}, postgres.CopyFrom)
	wantStored(t, s, result.Created, "new")
}

func wantCreated(t *testing.T, got inbox.PushResult, users []string, duplicates int) {
	t.Helper()
	var names []string
	for _, c := range got.Created {
		names = append(names, c.Username)
	}
	if !slices.Equal(names, users) || got.Duplicates != duplicates {
		t.Fatalf("created %d records and %d duplicates, want %d and %d", len(names), got.Duplicates, len(users), duplicates)
	}
}

// wantStored checks the first and the last of the created records.
func wantStored(t *testing.T, s *postgres.Store, created []inbox.Created, content string) {
	t.Helper()
	for _, c := range []inbox.Created{created[0], created[len(created)-1]} {
		got := recordsOf(t, s, c.Username)
		if len(got) != 1 || got[0].ID != c.ID || got[0].Content != content {
			t.Errorf("%s has %+v, want the record %s with the content %q", c.Username, got, c.ID, content)
		}
	}
}

func recordsOf(t *testing.T, s *postgres.Store, username string) []inbox.Record {
	t.Helper()
	result, err := s.List(t.Context(), defaultList(username, 20))
	if err != nil {
		t.Fatal(err)
	}
	return result.Records
}

// TestShuffledPushesDoNotDeadlock pushes the same few messages to overlapping users, listed in any
// order, small and large, from many goroutines. The store gets targets out of order, which its port
// forbids, to show that it does not depend on the order to get through.
func TestShuffledPushesDoNotDeadlock(t *testing.T) {
	s := open(t, pgtest.Schema(t))
	const writers, messages = 8, 3
	names := pushTo(postgres.CopyFrom * 4 / 3).Targets
	var group errgroup.Group
	counts := make([]int, writers)
	for w := range writers {
		group.Go(func() error {
			random := rand.New(rand.NewPCG(uint64(w), 0))
			for _, m := range random.Perm(messages) {
				p := pushTo(0)
				p.SourceMessageID = fmt.Sprint("m", m)
				for _, i := range random.Perm(len(names))[:len(names)-random.IntN(len(names)/2)] {
					p.Targets = append(p.Targets, names[i])
				}
				result, err := s.Push(t.Context(), p)
				if err != nil {
					return err
				}
				if n := len(result.Created) + result.Duplicates; n != len(p.Targets) {
					return fmt.Errorf("counts of %d for %d targets", n, len(p.Targets))
				}
				counts[w] += len(result.Created)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	created := 0
	for _, n := range counts {
		created += n
	}
	stored, err := s.List(t.Context(), defaultList("", 1))
	if err != nil {
		t.Fatal(err)
	}
	if stored.Total != int64(created) {
		t.Errorf("%d records are stored, %d were created", stored.Total, created)
	}
}

// TestPushLeavesNoEmptyBody pushes what everybody has, from many goroutines at once.
func TestPushLeavesNoEmptyBody(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	var group errgroup.Group
	for range 16 {
		group.Go(func() error {
			for m := range 10 {
				p := pushTo(5)
				p.SourceMessageID = fmt.Sprint("m", m)
				if _, err := s.Push(t.Context(), p); err != nil {
					return err
				}
				p.Targets = append(p.Targets, "zoe")
				if _, err := s.Push(t.Context(), p); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	var bodies, empty int
	err := pgtest.Connect(t, dsn).QueryRow(t.Context(), `
		SELECT count(*), count(*) FILTER (WHERE NOT EXISTS (SELECT FROM inbox WHERE inbox.body_id = body.id))
		FROM body`).Scan(&bodies, &empty)
	if err != nil {
		t.Fatal(err)
	}
	if bodies < 10 || bodies > 20 || empty != 0 {
		t.Errorf("%d bodies, %d without records; want 10 to 20, and none without", bodies, empty)
	}
}

// TestRecordsAreSmall bounds the disk space per recipient of a large push.
func TestRecordsAreSmall(t *testing.T) {
	const targets, limit = 100_000, 220
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	if _, err := s.Push(t.Context(), pushTo(targets)); err != nil {
		t.Fatal(err)
	}
	var heap, total int64
	if err := pgtest.Connect(t, dsn).QueryRow(t.Context(),
		`SELECT pg_relation_size('inbox'), pg_total_relation_size('inbox')`).Scan(&heap, &total); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes of rows and %d of indexes per recipient", heap/targets, (total-heap)/targets)
	if total/targets > limit {
		t.Errorf("%d bytes per recipient, want at most %d", total/targets, limit)
	}
}
