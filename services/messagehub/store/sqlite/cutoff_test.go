package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/messagehub/internal/inbox"
)

// TestWriteThatIsCutOffChangesNothing ends the context of writes at random moments, also during the
// commit: whoever got an error announces nothing.
func TestWriteThatIsCutOffChangesNothing(t *testing.T) {
	s := openFile(t, filepath.Join(t.TempDir(), "inbox.db"))
	took := time.Hour
	for i := range 20 {
		begin := time.Now()
		push(t, s, message(fmt.Sprint("first ", i), "ann"))
		took = min(took, time.Since(begin))
	}
	cutOff := func(write func(ctx context.Context) error) error {
		ctx, cancel := context.WithTimeout(t.Context(), rand.N(2*took))
		defer cancel()
		return write(ctx)
	}
	unread := func(user string) int64 {
		n, err := s.CountUnread(t.Context(), inbox.CountUnreadParams{Username: user})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	check := func(what string, err error, changed bool) {
		if err != nil && fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: %v, want Unavailable", what, err)
		}
		if changed != (err == nil) {
			t.Errorf("%s answered %v, and changed something: %v", what, err, changed)
		}
	}
	for i := range 200 {
		id := fmt.Sprint(i)
		err := cutOff(func(ctx context.Context) error {
			_, err := s.Push(ctx, message(id, id))
			return err
		})
		check("push "+id, err, unread(id) == 1)

		push(t, s, message(id, id)) // if it was not stored
		err = cutOff(func(ctx context.Context) error {
			_, err := s.MarkRead(ctx, inbox.MarkReadParams{Stamp: inbox.Stamp{ClientID: "erp"}, SourceMessageID: id, Username: id})
			return err
		})
		check("mark read "+id, err, unread(id) == 0)
	}
}
