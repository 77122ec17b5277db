package contract

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func todoListCases() []testCase {
	return []testCase{
		stated("my todos are OPEN HANDLE", listOf("OPEN", "HANDLE")),
		stated("my reads to do are OPEN REVIEW", listOf("OPEN", "REVIEW")),
		stated("my done are CLEARED HANDLE", listOf("CLEARED", "HANDLE")),
		stated("my read are CLEARED REVIEW", listOf("CLEARED", "REVIEW")),
		stated("INVALID items are listed on demand only", listOf("INVALID", "HANDLE")),
		stated("the status defaults to OPEN and the type to HANDLE", listDefaults),
		stated("the default sort is modifyTime descending", listDefaultSort),
		stated("assigneeUsername filters", listAssignee),
		stated("without assigneeUsername the items of all are listed", listEveryone),
		settled("a present and empty assigneeUsername is refused", listEmptyAssignee),
		settled("an unknown status or type is refused and the allowed are named", listEnums),
		settled("the total count follows every change at once", listTotals),
		settled("usernames are compared byte by byte", listBytewise),
	}
}

// portfolio gives one user an item in each status and type, and their ids by "STATUS TYPE".
func portfolio(t *testing.T, s *suite) (user string, ids map[string]string) {
	t.Helper()
	user, ids = fresh("user"), map[string]string{}
	for _, status := range []string{"OPEN", "CLEARED", "INVALID"} {
		for _, kind := range []string{"HANDLE", "REVIEW"} {
			body := newTodo().with("assigneeUsername", user).with("type", kind)
			s.main.upsert(t, body)
			switch status {
			case "CLEARED":
				s.main.clear(t, body.id(), fields{"result": "done"})
			case "INVALID":
				s.main.invalidate(t, body.id(), "void")
			}
			ids[status+" "+kind] = body.id()
		}
	}
	return user, ids
}

func listOf(status, kind string) func(*testing.T, *suite) {
	return func(t *testing.T, s *suite) {
		user, ids := portfolio(t, s)
		got := todoIDs(s.main.todos(t, "assigneeUsername", user, "status", status, "type", kind))
		if diff := cmp.Diff([]string{ids[status+" "+kind]}, got); diff != "" {
			t.Errorf("the list differs (-want +got):\n%s", diff)
		}
	}
}

func listDefaults(t *testing.T, s *suite) {
	user, ids := portfolio(t, s)
	for query, want := range map[string]string{
		"":                           "OPEN HANDLE",
		"&status=&type=":             "OPEN HANDLE",
		"&type=REVIEW":               "OPEN REVIEW",
		"&status=CLEARED":            "CLEARED HANDLE",
		"&status=&type=REVIEW&page=": "OPEN REVIEW",
	} {
		items, page := s.main.get(t, todosPath+"?assigneeUsername="+user+query).todos(t)
		if diff := cmp.Diff([]string{ids[want]}, todoIDs(items)); diff != "" {
			t.Errorf("%q: the list differs (-want +got):\n%s", query, diff)
		}
		if diff := cmp.Diff(pageInfo{Page: 1, TotalCount: 1, TotalPages: 1, Size: 20}, page); diff != "" {
			t.Errorf("%q: the page differs (-want +got):\n%s", query, diff)
		}
	}
}

func listDefaultSort(t *testing.T, s *suite) {
	user := fresh("user")
	var bodies []fields
	for range 4 {
		body := newTodo().with("assigneeUsername", user)
		s.main.upsert(t, body)
		bodies = append(bodies, body)
	}
	s.main.upsert(t, bodies[1])
	want := []string{bodies[1].id(), bodies[3].id(), bodies[2].id(), bodies[0].id()}
	if diff := cmp.Diff(want, todoIDs(s.main.todos(t, "assigneeUsername", user))); diff != "" {
		t.Errorf("the order differs (-want +got):\n%s", diff)
	}
}

func listAssignee(t *testing.T, s *suite) {
	mine, theirs := newTodo(), newTodo()
	s.main.upsert(t, mine)
	s.other.upsert(t, theirs)
	for _, c := range []*caller{s.main, s.other} {
		if got := todoIDs(c.todos(t, "assigneeUsername", mine.user())); !slices.Equal(got, []string{mine.id()}) {
			t.Errorf("the list of %s is %q, want %q", mine.user(), got, mine.id())
		}
	}
	if got := s.main.todos(t, "assigneeUsername", fresh("nobody")); len(got) != 0 {
		t.Errorf("a user without items has %d", len(got))
	}
}

// The ids are chosen to be the last in byte order, so that the first page shows them however large
// the database is; they are cleared to make room for the next run.
func listEveryone(t *testing.T, s *suite) {
	first := newTodo().with("todoId", "\U0010ffff"+fresh("a")).with("type", "REVIEW")
	second := newTodo().with("todoId", "\U0010ffff"+fresh("b")).with("type", "REVIEW")
	s.main.upsert(t, first)
	s.other.upsert(t, second)
	got := todoIDs(s.main.todos(t, "type", "REVIEW", "sort", "id,desc", "size", "100"))
	for _, body := range []fields{first, second} {
		if !slices.Contains(got, body.id()) {
			t.Errorf("the list of all users lacks %q", body.id())
		}
	}
	s.main.clear(t, first.id(), fields{"result": "done"})
	s.other.clear(t, second.id(), fields{"result": "done"})
}

func listEmptyAssignee(t *testing.T, s *suite) {
	for _, value := range []string{"", "%20", "%20%09"} {
		s.main.get(t, todosPath+"?assigneeUsername="+value).failsNaming(t, "assigneeUsername")
	}
	s.main.get(t, todosPath+"?assigneeUsername").failsNaming(t, "assigneeUsername")
}

func listEnums(t *testing.T, s *suite) {
	user := fresh("user")
	for name, allowed := range map[string][]string{
		"status": {"OPEN", "CLEARED", "INVALID"},
		"type":   {"HANDLE", "REVIEW"},
	} {
		for _, value := range []string{"open", "handle", "DONE", "0", "1", "2", "TODO_STATUS_OPEN", "TODO_TYPE_HANDLE", " OPEN", "OPEN,CLEARED", "null"} {
			a := s.main.get(t, todosPath+"?"+pairs([]string{"assigneeUsername", user, name, value}))
			msg := a.fails(t, http.StatusBadRequest)
			for _, word := range append(allowed, name) {
				if !names(msg, word) {
					t.Errorf("the message does not name %s: %s", word, a)
				}
			}
		}
	}
}

func listTotals(t *testing.T, s *suite) {
	user := fresh("user")
	total := func(status string) int64 {
		t.Helper()
		_, page := s.main.get(t, todosPath+"?"+pairs([]string{"assigneeUsername", user, "status", status, "size", "1"})).todos(t)
		return page.TotalCount
	}
	var ids []string
	for i := range 5 {
		body := newTodo().with("assigneeUsername", user)
		s.main.upsert(t, body)
		ids = append(ids, body.id())
		if got := total("OPEN"); got != int64(i+1) {
			t.Errorf("totalCount is %d after %d items", got, i+1)
		}
	}
	s.main.clear(t, ids[0], fields{"result": "done"})
	s.main.invalidate(t, ids[1], "")
	if open, cleared, invalid := total("OPEN"), total("CLEARED"), total("INVALID"); open != 3 || cleared != 1 || invalid != 1 {
		t.Errorf("the totals are %d, %d, %d, want 3, 1, 1", open, cleared, invalid)
	}
}

func listBytewise(t *testing.T, s *suite) {
	for _, pair := range distinctTwins() {
		user := fresh("user")
		first := newTodo().with("assigneeUsername", user+pair[0])
		second := newTodo().with("assigneeUsername", user+pair[1])
		s.main.upsert(t, first)
		s.main.upsert(t, second)
		got := todoIDs(s.main.todos(t, "assigneeUsername", first.user()))
		if !slices.Equal(got, []string{first.id()}) {
			t.Errorf("%q and %q are not told apart: %q", pair[0], pair[1], got)
		}
	}
}
