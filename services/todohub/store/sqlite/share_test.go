package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/todohub/internal/todo"
)

// asked is a context that tells when somebody waits for its end.
type asked struct {
	context.Context //nolint:containedctx // it is one
	once            sync.Once
	first           func()
}

func (a *asked) Done() <-chan struct{} {
	a.once.Do(a.first)
	return a.Context.Done()
}

// together upserts items in one transaction, and gives the error of each.
func together(t *testing.T, s *Store, ids ...string) []error {
	t.Helper()
	tx, err := s.file.Write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	errs := make([]error, len(ids))
	var waiting, calls sync.WaitGroup
	call := func(id string, err *error) {
		waiting.Add(1)
		ctx := &asked{Context: t.Context(), first: waiting.Done}
		calls.Go(func() { _, *err = s.Upsert(ctx, upsertParams(id)) })
	}
	var first error
	call("first", &first)
	waiting.Wait()
	for i, id := range ids {
		call(id, &errs[i])
	}
	waiting.Wait()
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	calls.Wait()
	if first != nil {
		t.Error(first)
	}
	return errs
}

// wantOnlyPoisonRefused checks that each item is stored but that with this id.
func wantOnlyPoisonRefused(t *testing.T, s *Store) {
	t.Helper()
	ids := []string{"a", "b", "poison", "c"}
	for i, err := range together(t, s, ids...) {
		_, miss := s.Get(t.Context(), todo.GetParams{ID: ids[i]})
		if poison := ids[i] == "poison"; (err != nil) != poison || (miss != nil) != poison {
			t.Errorf("%s: upsert %v, get %v", ids[i], err, miss)
		}
	}
}

func TestPoisonFailsItsOwnCaller(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "todo.db"))
	exec(t, s, `CREATE TRIGGER poison BEFORE INSERT ON todo WHEN NEW.id = 'poison' BEGIN SELECT RAISE(ABORT, 'poison'); END`)
	wantOnlyPoisonRefused(t, s)
}

// TestPoisonOfACommitFailsItsOwnCaller has an item that fails only when the transaction is to end.
func TestPoisonOfACommitFailsItsOwnCaller(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "todo.db"))
	exec(t, s, `CREATE TABLE parent (id INTEGER PRIMARY KEY)`)
	exec(t, s, `CREATE TABLE child (parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)`)
	exec(t, s, `CREATE TRIGGER orphan AFTER INSERT ON todo WHEN NEW.id = 'poison' BEGIN INSERT INTO child (parent) VALUES (1); END`)
	wantOnlyPoisonRefused(t, s)
}

// TestSharedUpsertsThatAreCutOffStoreNothing is TestUpsertThatIsCutOffStoresNothing for many at once.
func TestSharedUpsertsThatAreCutOffStoreNothing(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "todo.db"))
	for round := range 20 {
		var calls sync.WaitGroup
		for i := range 32 {
			calls.Go(func() {
				id := fmt.Sprint(round, "-", i)
				ctx, cancel := context.WithTimeout(t.Context(), rand.N(5*time.Millisecond))
				defer cancel()
				_, err := s.Upsert(ctx, upsertParams(id))
				_, miss := s.Get(t.Context(), todo.GetParams{ID: id})
				if err != nil && fault.KindOf(err) != fault.Unavailable {
					t.Errorf("upsert %s: %v, want Unavailable", id, err)
				}
				if (err == nil) != (miss == nil) {
					t.Errorf("upsert %s answered %v, and get %v", id, err, miss)
				}
			})
		}
		calls.Wait()
	}
}
