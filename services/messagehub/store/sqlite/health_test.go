package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hub/pkg/fault"
)

// TestFullDiskIsNotReadyUntilWritesWork lets SQLite itself play the disk: it gives the same code when a
// file may get no more pages.
func TestFullDiskIsNotReadyUntilWritesWork(t *testing.T) {
	path := filepath.Join(t.TempDir(), "inbox.db")
	s := openFile(t, path)
	exec(t, s, `PRAGMA max_page_count = 20`)
	var err error
	for i := 0; err == nil && i < 1000; i++ {
		p := message(fmt.Sprint(i), "ann")
		p.Content = strings.Repeat("c", 4000)
		_, err = s.Push(t.Context(), p)
	}
	if fault.KindOf(err) != fault.Unavailable {
		t.Fatalf("push to a full disk: %v, want Unavailable", err)
	}
	exec(t, s, `PRAGMA query_only = 1`) // not even a page that is there can be written
	for range 2 {
		if err := s.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), path+" cannot be written") {
			t.Errorf("ping while nothing can be written: %v, want the name of the file", err)
		}
	}
	exec(t, s, `PRAGMA query_only = 0; PRAGMA max_page_count = 1000000`)
	for range 2 {
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("ping when there is room again: %v", err)
		}
	}
	push(t, s, message("later", "ann"))
}
