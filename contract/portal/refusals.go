package portal

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.com/hub/contract"
)

func refusalCases() []testCase {
	return []testCase{
		{"page beside a cursor is refused", each(2, refusePage)},
		{"other sorts are refused and the allowed are named", each(0, refuseSorts)},
		{"a cursor of another user is refused", each(2, refuseUser)},
		{"a cursor of another filter is refused", each(2, refuseFilters)},
		{"a cursor of another sort is refused", each(2, refuseOtherSort)},
		{"a cursor of the other list is refused", each(2, refuseOtherList)},
		{"a cursor that was changed or cut is refused", each(2, refuseChanged)},
		{"what cannot be a cursor is refused", each(0, refuseUnreadable)},
		{"a cursor over 2 KiB is refused", each(0, refuseLong)},
		{"a repeated cursor is refused", each(0, refuseRepeated)},
		{"a cursor of another form is ignored", each(2, ignoreOthers)},
	}
}

// invalid demands the one answer to a cursor that is not of the list.
func invalid(t *testing.T, a contract.Answer) {
	t.Helper()
	if msg := a.Fails(t, http.StatusBadRequest); msg != "cursor is not valid for this list" {
		t.Errorf("the message is %q: %s", msg, a)
	}
}

// second gives the cursor of the second page of a list of at least two entries.
func second(t *testing.T, s *contract.Session, l list, more ...string) string {
	t.Helper()
	next := l.page(t, s, append(more, "cursor", "", "size", "1")...).next
	if !strings.HasPrefix(next, "c1.") {
		t.Fatalf("nextCursor is %q", next)
	}
	return next
}

func refusePage(t *testing.T, s *contract.Session, l list, ids []string) {
	next := second(t, s, l)
	for _, cursor := range []string{"", next} {
		for _, page := range []string{"0", "1", "-1", "x"} {
			if msg := l.get(t, s, "cursor", cursor, "page", page).Fails(t, http.StatusBadRequest); !strings.Contains(msg, "page") {
				t.Errorf("the message does not name page: %s", msg)
			}
		}
	}
	want(t, "an empty page", l.page(t, s, "cursor", "", "page", "").ids(), backwards(ids))
}

func refuseSorts(t *testing.T, s *contract.Session, l list, _ []string) {
	others := map[string][]string{
		"todos": {"dueAt", "clearedAt", "title", "category", "sourceSystem"}, "inbox": {"modifyTime", "readAt", "category", "sourceAppId"},
	}
	for _, sort := range append(others[l.name], "x", "id,down") {
		msg := l.get(t, s, "cursor", "", "sort", sort).Fails(t, http.StatusBadRequest)
		for _, field := range l.sorts {
			if !strings.Contains(msg, field) {
				t.Errorf("%s: the message does not name %s: %s", sort, field, msg)
			}
		}
	}
}

func refuseUser(t *testing.T, s *contract.Session, l list, _ []string) {
	next := second(t, s, l)
	for name := range l.filters {
		invalid(t, l.get(t, s, "cursor", next, name, contract.Fresh("user")))
	}
	l.filters = nil
	invalid(t, l.get(t, s, "cursor", next))
}

func refuseFilters(t *testing.T, s *contract.Session, l list, _ []string) {
	next := second(t, s, l)
	filters := map[string][]string{
		"todos": {"status", "CLEARED", "status", "all", "type", "REVIEW"},
		"inbox": {"status", "UNREAD", "sourceAppId", "erp", "sourceMessageId", "m-1"},
	}[l.name]
	for i := 0; i < len(filters); i += 2 {
		invalid(t, l.get(t, s, "cursor", next, filters[i], filters[i+1]))
	}
}

func refuseOtherSort(t *testing.T, s *contract.Session, l list, _ []string) {
	for _, made := range l.orders() {
		next := second(t, s, l, "sort", made)
		for _, used := range l.orders() {
			a := l.get(t, s, "cursor", next, "sort", used)
			if used != made {
				invalid(t, a)
			} else if a.Status != http.StatusOK {
				t.Errorf("%s: %s", made, a)
			}
		}
	}
}

func refuseOtherList(t *testing.T, s *contract.Session, l list, _ []string) {
	next := second(t, s, l)
	for _, other := range lists(s) {
		if other.name != l.name {
			invalid(t, other.get(t, s, "cursor", next))
			other.filters = nil
			invalid(t, other.get(t, s, "cursor", next))
		}
	}
}

func refuseChanged(t *testing.T, s *contract.Session, l list, _ []string) {
	next := second(t, s, l)
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for i := len("c1."); i < len(next); i++ {
		other := letters[(strings.IndexByte(letters, next[i])+1)%len(letters)]
		invalid(t, l.get(t, s, "cursor", next[:i]+string(other)+next[i+1:]))
		invalid(t, l.get(t, s, "cursor", next[:i]))
	}
	for _, more := range []string{"A", "=", " ", "\n", "\x00", next} {
		invalid(t, l.get(t, s, "cursor", next+more))
	}
}

func refuseUnreadable(t *testing.T, s *contract.Session, l list, _ []string) {
	for _, text := range []string{
		"", ".", "c1.", "AAAA", "null", "0", "9223372036854775808", "-1", "{}", "%00", "\x00", "é", "\U0001f989", "' OR 1=1 --",
		strings.Repeat("A", 22), strings.Repeat("A", 40), strings.Repeat("_", 40), strings.Repeat("/", 40), strings.Repeat("f", 1000),
	} {
		invalid(t, l.get(t, s, "cursor", "c1."+text))
	}
	for _, query := range []string{"cursor=c1.%ff", "cursor=c1.%", "cursor=c1.%c3%28", "cursor=c1.a;b"} {
		s.Call(t, http.MethodGet, l.path+"?"+query, nil, nil).Fails(t, http.StatusBadRequest)
	}
}

func refuseLong(t *testing.T, s *contract.Session, l list, _ []string) {
	for _, length := range []int{2<<10 - 3, 2<<10 - 2, 4 << 10} {
		invalid(t, l.get(t, s, "cursor", "c1."+strings.Repeat("A", length)))
	}
}

func refuseRepeated(t *testing.T, s *contract.Session, l list, _ []string) {
	for _, values := range [][]string{{"", ""}, {"c1.a", "c1.b"}, {"x", ""}} {
		query := url.Values{"cursor": values}.Encode()
		if msg := s.Call(t, http.MethodGet, l.path+"?"+query, nil, nil).Fails(t, http.StatusBadRequest); !strings.Contains(msg, "cursor") {
			t.Errorf("the message does not name the cursor: %s", msg)
		}
	}
}

func ignoreOthers(t *testing.T, s *contract.Session, l list, ids []string) {
	for _, cursor := range []string{"x", "0", "c2.AAAA", "C1.AAAA", " ", " c1.", strings.Repeat("A", 3000)} {
		p := l.page(t, s, "cursor", cursor, "page", "0")
		if len(p.members) != 4 || p.members["totalCount"] == nil {
			t.Errorf("cursor=%.20q makes the page %s", cursor, p.members)
		}
		want(t, cursor, p.ids(), backwards(ids))
	}
}
