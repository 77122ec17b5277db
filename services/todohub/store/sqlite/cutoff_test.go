package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/todohub/internal/todo"
)

// TestUpsertThatIsCutOffStoresNothing ends the context of upserts at random moments, also during the commit.
func TestUpsertThatIsCutOffStoresNothing(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "todo.db"))
	took := time.Hour
	for range 20 {
		begin := time.Now()
		if _, err := s.Upsert(t.Context(), upsertParams("first")); err != nil {
			t.Fatal(err)
		}
		took = min(took, time.Since(begin))
	}
	var stored int
	for i := range 400 {
		id := fmt.Sprint(i)
		ctx, cancel := context.WithTimeout(t.Context(), rand.N(2*took))
		_, err := s.Upsert(ctx, upsertParams(id))
		cancel()
		_, miss := s.Get(t.Context(), todo.GetParams{ID: id})
		if err != nil && fault.KindOf(err) != fault.Unavailable {
			t.Errorf("upsert %s: %v, want Unavailable", id, err)
		}
		if (err == nil) != (miss == nil) {
			t.Errorf("upsert %s answered %v, and get %v", id, err, miss)
		}
		if err == nil {
			stored++
		}
	}
	t.Logf("%d of 400 were stored", stored)
}

func TestWriteEndsInTimeForACallerWithoutADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, filepath.Join(t.TempDir(), "todo.db"))
		tx, err := s.file.Write.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		begin := time.Now()
		_, err = s.Upsert(t.Context(), upsertParams("a"))
		if took := time.Since(begin); fault.KindOf(err) != fault.Unavailable || took != 10*time.Second {
			t.Errorf("an upsert behind another one that does not end: %v after %v, want Unavailable after 10 s", err, took)
		}
	})
}
