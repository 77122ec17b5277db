package contract

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func pagingCases() []testCase {
	return []testCase{
		stated("page is 0-based in the request and 1-based in the answer", pagingBase),
		stated("page defaults to 0 and size to 20", pagingDefaults),
		settled("the pages together are the list", pagingPartition),
		settled("totalCount is exact and totalPages is rounded up", pagingTotals),
		settled("an empty list has 0 pages", pagingEmpty),
		settled("a page past the end is empty and echoed", pagingPastEnd),
		settled("a size above the maximum is cut to it and echoed", pagingClamp),
		settled("huge page numbers do not overflow", pagingHuge),
		settled("numbers beyond 64 bits never fail the server", pagingBeyond),
		settled("a negative page and a size below 1 are refused", pagingNegative),
		settled("what is not an integer is refused", pagingNotInteger),
		settled("a repeated page or size is refused", pagingRepeated),
	}
}

// listing is a list of known length that both areas offer in the same way.
type listing struct {
	name  string
	path  string
	query string
	// length is the number of entries.
	length int
}

// listings makes lists of n entries, one of todos and one of messages.
func listings(t *testing.T, s *suite, n int) []listing {
	t.Helper()
	user := fresh("user")
	for range n {
		s.main.upsert(t, newTodo().with("assigneeUsername", user))
		s.main.push(t, newMessage(user))
	}
	return []listing{
		{"todos", todosPath, "assigneeUsername=" + user, n},
		{"inbox", inboxPath, "username=" + user, n},
	}
}

// get asks for one page with more parameters.
func (l listing) get(t *testing.T, s *suite, query string) answer {
	t.Helper()
	return s.main.get(t, l.path+"?"+l.query+"&"+query)
}

// ids are the ids of a page.
func (e pagedEnvelope) ids(t *testing.T) []string {
	t.Helper()
	var ids []string
	for _, data := range e.Data {
		var entry struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(data, &entry); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, entry.ID)
	}
	return ids
}

func pagingBase(t *testing.T, s *suite) {
	for _, l := range listings(t, s, 3) {
		for page := range 3 {
			list := l.get(t, s, fmt.Sprintf("size=1&page=%d", page)).page(t)
			if list.Page.Page != int64(page+1) || list.Count != 1 {
				t.Errorf("%s: page=%d is answered with page %d and %d entries", l.name, page, list.Page.Page, list.Count)
			}
		}
	}
}

func pagingDefaults(t *testing.T, s *suite) {
	for _, l := range listings(t, s, 21) {
		for _, query := range []string{"", "page=&size=", "page=0", "size=20", "page=0&size=20"} {
			list := l.get(t, s, query).page(t)
			want := pageInfo{Page: 1, TotalCount: 21, TotalPages: 2, Size: 20}
			if diff := cmp.Diff(want, list.Page); diff != "" || list.Count != 20 {
				t.Errorf("%s, %q: %d entries, the page differs (-want +got):\n%s", l.name, query, list.Count, diff)
			}
		}
	}
}

func pagingPartition(t *testing.T, s *suite) {
	for _, l := range listings(t, s, 7) {
		for _, sort := range []string{"", "id,asc", "createTime,desc", "category"} {
			whole := l.get(t, s, "sort="+sort).page(t).ids(t)
			for _, size := range []int{1, 2, 3, 7, 8} {
				var got []string
				for page := 0; page*size < l.length; page++ {
					got = append(got, l.get(t, s, fmt.Sprintf("sort=%s&size=%d&page=%d", sort, size, page)).page(t).ids(t)...)
				}
				if diff := cmp.Diff(whole, got); diff != "" {
					t.Errorf("%s by %q: the pages of %d differ from the list (-want +got):\n%s", l.name, sort, size, diff)
				}
			}
			slices.Sort(whole)
			if distinct := slices.Compact(whole); len(distinct) != l.length {
				t.Errorf("%s by %q: %d distinct entries, want %d", l.name, sort, len(distinct), l.length)
			}
		}
	}
}

func pagingTotals(t *testing.T, s *suite) {
	for _, l := range listings(t, s, 5) {
		for size, pages := range map[int]int64{1: 5, 2: 3, 4: 2, 5: 1, 6: 1} {
			list := l.get(t, s, fmt.Sprintf("size=%d", size)).page(t)
			want := pageInfo{Page: 1, TotalCount: 5, TotalPages: pages, Size: int64(size)}
			if diff := cmp.Diff(want, list.Page); diff != "" {
				t.Errorf("%s: the page of %d differs (-want +got):\n%s", l.name, size, diff)
			}
		}
	}
}

func pagingEmpty(t *testing.T, s *suite) {
	for _, l := range listings(t, s, 0) {
		list := l.get(t, s, "").page(t)
		if diff := cmp.Diff(pageInfo{Page: 1, Size: 20}, list.Page); diff != "" {
			t.Errorf("%s: the page differs (-want +got):\n%s", l.name, diff)
		}
	}
}

func pagingPastEnd(t *testing.T, s *suite) {
	for _, l := range listings(t, s, 3) {
		for _, page := range []int64{2, 3, 1000} {
			list := l.get(t, s, fmt.Sprintf("size=2&page=%d", page)).page(t)
			want := pageInfo{Page: page + 1, TotalCount: 3, TotalPages: 2, Size: 2}
			if diff := cmp.Diff(want, list.Page); diff != "" || list.Count != 0 {
				t.Errorf("%s: %d entries, the page differs (-want +got):\n%s", l.name, list.Count, diff)
			}
		}
	}
}

// One push to more users than a page may hold makes a list that shows the cut.
func pagingClamp(t *testing.T, s *suite) {
	maximum := s.set.MaxPageSize
	if maximum >= s.set.MaxTargets {
		t.Fatalf("the settings do not fit: a push has at most %d targets, a page %d records", s.set.MaxTargets, maximum)
	}
	users := make([]string, maximum+1)
	for i := range users {
		users[i] = fresh("u")
	}
	body := newMessage(users...)
	s.main.push(t, body)
	path := inboxPath + "?sourceMessageId=" + body.messageID()
	for size, entries := range map[string]int{
		fmt.Sprint(maximum - 1):   maximum - 1,
		fmt.Sprint(maximum):       maximum,
		fmt.Sprint(maximum + 1):   maximum,
		"1000000":                 maximum,
		"2147483648":              maximum,
		fmt.Sprint(math.MaxInt64): maximum,
	} {
		list := s.main.get(t, path+"&size="+size).page(t)
		if list.Count != entries || list.Page.Size != int64(entries) {
			t.Errorf("size=%s: %d entries and size %d, want %d", size, list.Count, list.Page.Size, entries)
		}
	}
	if list := s.main.get(t, todosPath+"?size=1000000&assigneeUsername="+fresh("u")).page(t); list.Page.Size != int64(maximum) {
		t.Errorf("todos: the size is %d, want %d", list.Page.Size, maximum)
	}
}

// 107374183 pages of 20 overflow 32 bits, 461168601842738791 pages of 20 overflow 64.
func pagingHuge(t *testing.T, s *suite) {
	for _, l := range listings(t, s, 1) {
		for _, page := range []int64{107374182, 107374183, 2147483647, 2147483648, 461168601842738791, math.MaxInt64 - 1} {
			list := l.get(t, s, fmt.Sprintf("page=%d", page)).page(t)
			want := pageInfo{Page: page + 1, TotalCount: 1, TotalPages: 1, Size: 20}
			if diff := cmp.Diff(want, list.Page); diff != "" || list.Count != 0 {
				t.Errorf("%s: %d entries, the page differs (-want +got):\n%s", l.name, list.Count, diff)
			}
		}
	}
}

// Such a page may be refused or answered as one past the end, but it must not wrap around.
func pagingBeyond(t *testing.T, s *suite) {
	for _, l := range listings(t, s, 1) {
		for _, number := range []string{"9223372036854775807", "9223372036854775808", "18446744073709551616", "1" + strings.Repeat("0", 400)} {
			a := l.get(t, s, "page="+number)
			if _, err := parseFailure(a.data); err == nil {
				a.failsNaming(t, "page")
				continue
			}
			var list struct {
				Page struct {
					Page json.Number `json:"page"`
				} `json:"page"`
				Count int `json:"count"`
			}
			if err := json.Unmarshal(a.data, &list); err != nil {
				t.Errorf("%s: %v: %s", l.name, err, a)
			}
			if list.Count != 0 || len(list.Page.Page) < len("9223372036854775807") || list.Page.Page[0] == '-' {
				t.Errorf("%s: %d entries on page %s", l.name, list.Count, list.Page.Page)
			}
		}
	}
}

func pagingNegative(t *testing.T, s *suite) {
	for _, l := range listings(t, s, 0) {
		for _, query := range []string{"page=-1", "page=-9223372036854775808", "page=-9223372036854775809"} {
			l.get(t, s, query).failsNaming(t, "page")
		}
		for _, query := range []string{"size=0", "size=-1", "size=-9223372036854775808"} {
			l.get(t, s, query).failsNaming(t, "size")
		}
	}
}

func pagingNotInteger(t *testing.T, s *suite) {
	for _, l := range listings(t, s, 0) {
		for _, value := range []string{"x", "1.5", "1.0", "1e3", "0x10", "1_000", "1,000", " 1", "1 ", "true", "null", "NaN", "Infinity", "١", "1\x00"} {
			for _, name := range []string{"page", "size"} {
				l.get(t, s, name+"="+url.QueryEscape(value)).failsNaming(t, name)
			}
		}
	}
}

func pagingRepeated(t *testing.T, s *suite) {
	for _, l := range listings(t, s, 0) {
		l.get(t, s, "page=0&page=1").failsNaming(t, "page")
		l.get(t, s, "size=1&size=1").failsNaming(t, "size")
	}
}
