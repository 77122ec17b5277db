package todo_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/bus/bustest"
	"example.com/hub/pkg/fault"
	"example.com/hub/services/todohub/internal/todo"
	"example.com/hub/services/todohub/store/sqlite"
)

// now is what the clock of the tests says, finer than a store keeps.
var now = time.Date(2026, 3, 4, 13, 6, 7, 123_456_789, time.FixedZone("", 8*3600))

var nowMicro = time.Date(2026, 3, 4, 5, 6, 7, 123_456_000, time.UTC)

var defaultRules = todo.Rules{MaxPageSize: 200, ListTimeout: 2 * time.Second}

func newService(t *testing.T, store todo.Store, rules todo.Rules) *todo.Service {
	t.Helper()
	return todo.New(todo.Deps{
		Store: store, Publisher: &bustest.Recorder{}, Rules: rules,
		Clock:  func() time.Time { return now },
		Logger: slog.New(slog.DiscardHandler),
	})
}

func newStore(t *testing.T) todo.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "todo.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func report(id string) todo.UpsertRequest {
	return todo.UpsertRequest{Report: todo.Report{
		ID: id, Type: todo.Handle, SourceBizID: "biz", AssigneeUsername: "ann",
		Title: "title", Category: "category", ActionURL: "/act",
	}}
}

func upsert(t *testing.T, s *todo.Service, client, id string) todo.Item {
	t.Helper()
	done, err := s.Upsert(t.Context(), client, report(id))
	if err != nil {
		t.Fatal(err)
	}
	return done.Item
}

func wantFault(t *testing.T, err error, kind fault.Kind, public string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want %q", public)
		return
	}
	if f := fault.As(err); f.Kind != kind || f.Public != public {
		t.Errorf("error is %d %q, want %d %q", f.Kind, f.Public, kind, public)
	}
}

func TestUpsertStampsAndCutsTimes(t *testing.T) {
	s := newService(t, newStore(t), defaultRules)
	r := report("a")
	due := now.Add(time.Hour)
	r.DueAt = &due
	got, err := s.Upsert(t.Context(), "erp", r)
	if err != nil {
		t.Fatal(err)
	}
	cut := nowMicro.Add(time.Hour)
	want := todo.Item{
		Report: todo.Report{
			ID: "a", Type: todo.Handle, SourceBizID: "biz", AssigneeUsername: "ann",
			Title: "title", Category: "category", ActionURL: "/act", DueAt: &cut,
		},
		SourceSystem: "erp", Status: todo.Open,
		CreateTime: nowMicro, ModifyTime: nowMicro, CreatorID: "erp", ModifierID: "erp",
	}
	if diff := cmp.Diff(todo.Outcome{Item: want}, got); diff != "" {
		t.Errorf("item (-want +got):\n%s", diff)
	}
	if !due.Equal(now.Add(time.Hour)) {
		t.Error("the caller's time was changed")
	}
}

func TestListDefaultsAndEchoes(t *testing.T) {
	s := newService(t, newStore(t), todo.Rules{MaxPageSize: 3, ListTimeout: time.Minute})
	for _, id := range []string{"a", "b", "c", "d"} {
		upsert(t, s, "erp", id)
	}
	review := report("r")
	review.Type = todo.Review
	if _, err := s.Upsert(t.Context(), "erp", review); err != nil {
		t.Fatal(err)
	}
	one, five := int64(1), int64(5)
	tests := []struct {
		name    string
		request todo.ListRequest
		want    string
		page    todo.Page
	}{
		{"defaults, clamped", todo.ListRequest{}, "d c b", todo.Page{Size: 3, Total: 4}},
		{"size above the maximum", todo.ListRequest{Page: &one, Size: &five}, "a", todo.Page{Number: 1, Size: 3, Total: 4}},
		{"type", todo.ListRequest{Type: todo.Review}, "r", todo.Page{Size: 3, Total: 1}},
		{"status", todo.ListRequest{Status: todo.Cleared}, "", todo.Page{Size: 3}},
		{"sort", todo.ListRequest{Sort: &todo.Sort{Field: todo.SortID}, Size: &one}, "a", todo.Page{Size: 1, Total: 4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := s.List(t.Context(), tt.request)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, item := range got.Items {
				ids = append(ids, item.ID)
			}
			got.Items = nil
			if list := strings.Join(ids, " "); list != tt.want {
				t.Errorf("items %q, want %q", list, tt.want)
			}
			if diff := cmp.Diff(tt.page, got); diff != "" {
				t.Errorf("page (-want +got):\n%s", diff)
			}
		})
	}
}

// listStore only lists and counts.
type listStore struct {
	todo.Store
	list func(ctx context.Context) error
}

func (s listStore) List(ctx context.Context, _ todo.ListParams) (todo.ListResult, error) {
	return todo.ListResult{}, s.list(ctx)
}

func (s listStore) Walk(ctx context.Context, _ todo.WalkParams) ([]todo.Item, error) {
	return nil, s.list(ctx)
}

func (s listStore) Count(ctx context.Context, _ todo.CountParams) (todo.Counts, error) {
	return todo.Counts{}, s.list(ctx)
}

func (s listStore) Search(ctx context.Context, _ todo.SearchParams) ([]todo.Item, error) {
	return nil, s.list(ctx)
}

func TestSlowList(t *testing.T) {
	wait := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, listStore{list: wait}, defaultRules)
		for _, read := range []func() error{
			func() error { _, err := s.List(t.Context(), todo.ListRequest{}); return err },
			func() error { _, err := s.List(t.Context(), todo.ListRequest{Cursor: new(string)}); return err },
			func() error {
				_, err := s.Count(t.Context(), todo.CountRequest{Username: "ann", Lists: []todo.UserList{todo.Done}})
				return err
			},
			func() error { _, err := s.Search(t.Context(), todo.SearchRequest{}); return err },
		} {
			began := time.Now()
			err := read()
			wantFault(t, err, fault.Unavailable, "the list took too long")
			if took := time.Since(began); took != defaultRules.ListTimeout {
				t.Errorf("given up after %v, want %v", took, defaultRules.ListTimeout)
			}
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.List(ctx, todo.ListRequest{}); !errors.Is(err, context.DeadlineExceeded) || fault.KindOf(err) != fault.Internal {
			t.Errorf("the caller's own deadline gave %v, want it as it is", err)
		}
	})
}

func TestListPassesStoreFaults(t *testing.T) {
	away := fault.New(fault.Unavailable, "the database is busy")
	s := newService(t, listStore{list: func(context.Context) error { return away }}, defaultRules)
	if _, err := s.List(t.Context(), todo.ListRequest{}); !errors.Is(err, away) {
		t.Errorf("List = %v, want the store's fault", err)
	}
}
