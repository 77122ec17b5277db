package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/store/postgres"
)

// TestSlowListsLeaveConnections has lists in the order of the apps that do not come to an end, three for
// each connection, and meanwhile other calls.
func TestSlowListsLeaveConnections(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t)
	s := pgtest.Open(t, pg.Config{URL: dsn, MaxConns: 4, AcquireTimeout: 2 * time.Second}, postgres.Open)
	pushed(t, s, messageTo("m", "ann"))
	wait, release := pgtest.Hold(t, dsn, "message", "source_app_id AS sort_key")

	slow := defaultList("ann", 20)
	slow.Sort = inbox.Sort{Field: inbox.SortSourceAppID}
	var lists errgroup.Group
	refused := make(chan error, 12)
	for range cap(refused) {
		lists.Go(func() error {
			if _, err := s.List(t.Context(), slow); err != nil {
				refused <- err
			}
			return nil
		})
	}
	wait(2)
	for n := range 20 {
		id := fmt.Sprint("m", n)
		pushed(t, s, messageTo(id, "ann"))
		if _, err := s.List(t.Context(), defaultList("ann", 20)); err != nil {
			t.Fatalf("the default list of a user: %v", err)
		}
		if _, err := s.Walk(t.Context(), inbox.WalkParams{ListParams: defaultList("ann", 20)}); err != nil {
			t.Fatalf("the default walk of a user: %v", err)
		}
		if _, err := s.MarkRead(t.Context(), inbox.MarkReadParams{Stamp: inbox.Stamp{Now: start}, SourceMessageID: id, Username: "ann"}); err != nil {
			t.Fatalf("mark read: %v", err)
		}
	}
	for range cap(refused) - 2 {
		if err := <-refused; fault.KindOf(err) != fault.Unavailable {
			t.Errorf("a list without a place: %v", err)
		}
	}
	if _, err := s.List(t.Context(), defaultList("", 20)); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("the list of all users, which may be long: %v, want that it has to wait, too", err)
	}
	if _, err := s.Walk(t.Context(), inbox.WalkParams{ListParams: defaultList("", 20)}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a walk of all users: %v, want that it has to wait, too", err)
	}
	many := inbox.SearchParams{Usernames: []string{"ann"}, Statuses: []inbox.Status{inbox.Unread}, Size: 1}
	if _, err := s.Search(t.Context(), many); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a search: %v, want that it has to wait, too", err)
	}
	release()
	if err := lists.Wait(); err != nil || len(refused) > 0 {
		t.Errorf("lists that ran: %v, %d refused", err, len(refused))
	}
}
