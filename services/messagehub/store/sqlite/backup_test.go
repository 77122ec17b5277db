package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/hub/pkg/field"
	"example.com/hub/services/messagehub/internal/inbox"
)

// TestBackupOfAStoreInUse copies the file as docs/operations/backup.md says, while messages are pushed.
func TestBackupOfAStoreInUse(t *testing.T) {
	dir := t.TempDir()
	path, backup := filepath.Join(dir, "messagehub.db"), filepath.Join(dir, "backup.db")
	s := open(t, path)
	var pushed atomic.Int64
	done := make(chan struct{})
	var busy sync.WaitGroup
	push := func(n int64) error {
		now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
		_, err := s.Push(t.Context(), inbox.PushParams{
			Stamp: inbox.Stamp{ClientID: "erp", Now: now}, SourceMessageID: fmt.Sprint("m", n), Targets: []string{"ann"},
			Message: inbox.Message{Title: "t", Content: "c"}, OccurredAt: now,
		})
		return err
	}
	for pushed.Load() < 100 {
		if err := push(pushed.Add(1)); err != nil {
			t.Fatal(err)
		}
	}
	busy.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			n := pushed.Load() + 1
			if err := push(n); err != nil {
				t.Errorf("push beside the backup: %v", err)
				return
			}
			pushed.Store(n)
		}
	})
	before := pushed.Load()
	other, err := sql.Open("sqlite", path) // as another process does
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.ExecContext(t.Context(), `VACUUM INTO ?`, backup); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	after := pushed.Load()
	close(done)
	busy.Wait()

	list, err := open(t, backup).List(t.Context(), inbox.ListParams{
		Username: "ann", Sort: inbox.DefaultSort, Page: field.Page{Size: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if list.Total < before || list.Total > after+1 {
		t.Errorf("the backup has %d messages; %d were answered before it and %d after", list.Total, before, after)
	}
}
