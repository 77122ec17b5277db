package portal

import (
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/contract"
)

func cursorCases() []testCase {
	return []testCase{
		{"an empty cursor is the start of the list", each(3, cursorStart)},
		{"a page has its size and nextCursor and no totals", each(2, cursorPage)},
		{"nextCursor is null at the end and also when the last page is full", each(4, cursorEnd)},
		{"size is 20 by default and cut to the maximum", each(1, cursorSize)},
		{"the pages of every sort and direction together are the list", each(5, cursorWhole)},
		{"the size may change from page to page", each(5, cursorSizes)},
		{"status all merges the statuses of todos", cursorStatuses},
		{"an insert neither repeats nor hides an entry of a descending walk", each(6, cursorInsert)},
		{"an entry that changes comes once in a sort that does not", each(6, cursorChange)},
		{"in the order of modifyTime a changed item moves to the front", cursorFront},
		{"a list of all users can be walked", cursorEverybody},
	}
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// backwards gives the ids with the last stored first, which is the default order.
func backwards(ids []string) []string {
	reversed := slices.Clone(ids)
	slices.Reverse(reversed)
	return reversed
}

func cursorStart(t *testing.T, s *contract.Session, l list, ids []string) {
	want(t, "the start", l.page(t, s, "cursor", "").ids(), backwards(ids))
}

func cursorPage(t *testing.T, s *contract.Session, l list, _ []string) {
	for size, last := range map[string]bool{"1": false, "2": true} {
		p := l.page(t, s, "cursor", "", "size", size)
		delete(p.members, "watermark") // those of the inbox have one, which is a case of its own
		if len(p.members) != 2 || strconv.Itoa(p.size) != size || (p.next == "") != last {
			t.Errorf("the page of %s is %s", size, p.members)
		}
		if raw := string(p.members["nextCursor"]); last && raw != "null" {
			t.Errorf("nextCursor is %q at the end", raw)
		}
	}
}

func cursorEnd(t *testing.T, s *contract.Session, l list, ids []string) {
	b := backwards(ids)
	want(t, "full pages", l.walk(t, s, "size", "2"), [][]string{{b[0], b[1]}, {b[2], b[3]}})
	want(t, "one full page", l.walk(t, s, "size", "4"), [][]string{b})
	want(t, "a page that is not full", l.walk(t, s, "size", "3"), [][]string{b[:3], b[3:]})
}

func cursorSize(t *testing.T, s *contract.Session, l list, _ []string) {
	limit := s.Settings().MaxPageSize
	for size, used := range map[string]int{"": min(20, limit), strconv.Itoa(limit + 1): limit} {
		if p := l.page(t, s, "cursor", "", "size", size); p.size != used {
			t.Errorf("size=%s is %d, want %d", size, p.size, used)
		}
	}
}

func cursorWhole(t *testing.T, s *contract.Session, l list, ids []string) {
	for _, sort := range l.orders() {
		listed := l.page(t, s, "sort", sort).ids()
		if len(listed) != len(ids) {
			t.Fatalf("%s lists %d of %d", sort, len(listed), len(ids))
		}
		for _, size := range []string{"1", "2", "5"} {
			want(t, sort+" by "+size, slices.Concat(l.walk(t, s, "sort", sort, "size", size)...), listed)
		}
	}
}

func cursorSizes(t *testing.T, s *contract.Session, l list, ids []string) {
	first := l.page(t, s, "cursor", "", "size", "1")
	rest := l.page(t, s, "cursor", first.next, "size", "4")
	want(t, "both pages", append(first.ids(), rest.ids()...), backwards(ids))
}

// finish clears a todo, or invalidates it.
func finish(t *testing.T, s *contract.Session, id, how string) {
	t.Helper()
	s.Call(t, http.MethodPost, todosPath+"/"+id+"/"+how, map[string]any{"result": "done"}, nil).OK(t)
}

func cursorStatuses(t *testing.T, s *contract.Session) {
	todos := lists(s)[0]
	var ids []string
	for i := range 6 {
		id := todos.add(t)
		ids = append(ids, id)
		switch i % 3 {
		case 1:
			finish(t, s, id, "clear")
		case 2:
			finish(t, s, id, "invalidate")
		}
	}
	for _, word := range []string{"all", "ALL"} {
		want(t, word, slices.Concat(todos.walk(t, s, "status", word, "size", "2")...), backwards(ids))
	}
	for _, sort := range todos.orders() {
		walked := slices.Concat(todos.walk(t, s, "status", "all", "sort", sort, "size", "2")...)
		slices.Sort(walked)
		want(t, sort, walked, slices.Sorted(slices.Values(ids)))
	}
	want(t, "the default", slices.Concat(todos.walk(t, s)...), []string{ids[3], ids[0]})
}

func cursorInsert(t *testing.T, s *contract.Session, l list, ids []string) {
	for _, field := range l.sorts {
		var seen []string
		for cursor, n := "", 0; n == 0 || cursor != ""; n++ {
			p := l.page(t, s, "cursor", cursor, "sort", field+",desc", "size", "2")
			seen = append(seen, p.ids()...)
			cursor = p.next
			if n < 3 {
				l.add(t)
			}
		}
		wantOnce(t, field, seen, ids)
	}
}

// wantOnce demands that each of the ids came once, and nothing twice.
func wantOnce(t *testing.T, what string, seen, ids []string) {
	t.Helper()
	came := map[string]int{}
	for _, id := range seen {
		if came[id]++; came[id] > 1 {
			t.Errorf("%s: %s came twice", what, id)
		}
	}
	for _, id := range ids {
		if came[id] != 1 {
			t.Errorf("%s: %s came %d times", what, id, came[id])
		}
	}
}

func cursorChange(t *testing.T, s *contract.Session, l list, ids []string) {
	for _, sort := range l.orders() {
		if sort == "modifyTime,asc" || sort == "modifyTime,desc" {
			continue
		}
		var seen []string
		for cursor, n := "", 0; n == 0 || cursor != ""; n++ {
			p := l.page(t, s, "cursor", cursor, "sort", sort, "size", "2")
			seen = append(seen, p.ids()...)
			cursor = p.next
			if l.name == "todos" {
				upsert(t, s, l.filters.Get("assigneeUsername"), ids[n%len(ids)])
				continue
			}
			// A record changes when it is read, which the list of any status does not mind.
			read := l.page(t, s).entries[n%len(ids)].SourceMessageID
			s.Call(t, http.MethodPost, "/message-hub/messages/"+read+"/read?username="+l.filters.Get("username"), nil, nil).OK(t)
		}
		wantOnce(t, sort, seen, ids)
	}
}

func cursorFront(t *testing.T, s *contract.Session) {
	todos := lists(s)[0]
	ids := []string{todos.add(t), todos.add(t), todos.add(t), todos.add(t)}
	first := todos.page(t, s, "cursor", "", "size", "1")
	upsert(t, s, todos.filters.Get("assigneeUsername"), ids[1])
	rest := todos.page(t, s, "cursor", first.next)
	want(t, "what was behind it", append(first.ids(), rest.ids()...), []string{ids[3], ids[2], ids[0]})
	want(t, "a new walk", slices.Concat(todos.walk(t, s)...), []string{ids[1], ids[3], ids[2], ids[0]})
}

// The list of all users is as long as the database is full: its first pages say whether it can be walked.
func cursorEverybody(t *testing.T, s *contract.Session) {
	for _, l := range lists(s) {
		l.add(t)
		l.add(t)
		l.filters = nil
		first := l.page(t, s, "cursor", "", "size", "1")
		if len(first.entries) != 1 || first.next == "" {
			t.Fatalf("%s: the first page is %+v", l.name, first)
		}
		if second := l.page(t, s, "cursor", first.next, "size", "1"); slices.Equal(second.ids(), first.ids()) {
			t.Errorf("%s: the entry %q came twice", l.name, first.ids())
		}
	}
}
