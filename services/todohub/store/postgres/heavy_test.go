package postgres_test

import (
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/todohub/internal/todo"
	"example.com/hub/services/todohub/store/postgres"
)

// TestSlowListsLeaveConnections has lists in the order of the titles that do not come to an end, three
// for each connection, and meanwhile other calls.
func TestSlowListsLeaveConnections(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t)
	s := pgtest.Open(t, pg.Config{URL: dsn, MaxConns: 4, AcquireTimeout: 2 * time.Second}, postgres.Open)
	upsert(t, s, report(1))
	wait, release := pgtest.Hold(t, dsn, "todo", "ORDER BY title")

	slow := latest(20)
	slow.Sort.Field = todo.SortTitle
	var lists errgroup.Group
	refused := make(chan error, 12)
	for range cap(refused) {
		lists.Go(func() error {
			_, err := s.List(t.Context(), slow)
			if err != nil {
				refused <- err
			}
			return nil
		})
	}
	wait(2)
	flat, everybody := latest(20), latest(20)
	flat.AssigneeUsername = report(1).AssigneeUsername
	for n := range 20 {
		upsert(t, s, report(n))
		if _, err := s.List(t.Context(), flat); err != nil {
			t.Fatalf("the default list of a user: %v", err)
		}
		if _, err := s.Walk(t.Context(), todo.WalkParams{ListParams: flat}); err != nil {
			t.Fatalf("the default walk of a user: %v", err)
		}
	}
	for range cap(refused) - 2 {
		wantUnavailable(t, <-refused)
	}
	if _, err := s.List(t.Context(), everybody); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("the list of all users, which may be long: %v, want that it has to wait, too", err)
	}
	if _, err := s.Walk(t.Context(), todo.WalkParams{ListParams: everybody}); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a walk of all users: %v, want that it has to wait, too", err)
	}
	many := todo.SearchParams{Usernames: []string{"ann"}, Statuses: []todo.Status{todo.Open}, Types: []todo.Type{todo.Handle}, Size: 1}
	if _, err := s.Search(t.Context(), many); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a search: %v, want that it has to wait, too", err)
	}
	release()
	if err := lists.Wait(); err != nil || len(refused) > 0 {
		t.Errorf("lists that ran: %v, %d refused", err, len(refused))
	}
}
