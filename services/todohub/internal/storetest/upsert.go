package storetest

import (
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/todohub/internal/todo"
)

func testUpsertCreates(t *testing.T, s todo.Store) {
	full := report("full")
	bare := todo.Report{
		ID: "bare", Type: todo.Review, SourceBizID: "b", AssigneeUsername: "bob",
		Title: "t", Category: "c", ActionURL: "u",
	}
	for _, r := range []todo.Report{full, bare} {
		st := stamp("erp", 0)
		wantStored(t, s, upsert(t, s, st, r), itemOf(st, r))
	}
}

func testUpsertReplaces(t *testing.T, s todo.Store) {
	first := stamp("erp", 0)
	upsert(t, s, first, report("a"))

	second := stamp("crm", 5)
	r := todo.Report{
		ID: "a", Type: todo.Review, SourceBizID: "other", AssigneeUsername: "bob",
		Title: "other title", Category: "other category", ActionURL: "https://other.example/",
	}
	want := itemOf(second, r)
	want.CreateTime, want.CreatorID = first.Now, first.ClientID
	want.SourceVersion = version(7) // which stays
	want.FormerAssignee = "ann"
	wantStored(t, s, upsert(t, s, second, r), want)
}

func testUpsertKeepsFinish(t *testing.T, s todo.Store) {
	for id, finish := range map[string]func(*testing.T, todo.Store, todo.Stamp, string) todo.Item{
		"cleared": clearItem, "invalid": invalidateItem,
	} {
		upsert(t, s, stamp("erp", 0), report(id))
		finished := finish(t, s, stamp("portal", 1), id)

		st := stamp("crm", 2)
		r := report(id)
		r.Title, r.DueAt = "late repeat", nil
		want := finished
		want.Title, want.DueAt = r.Title, nil
		want.SourceSystem, want.ModifierID, want.ModifyTime = "crm", "crm", st.Now
		wantStored(t, s, upsert(t, s, st, r), want)
	}
}

func testInstants(t *testing.T, s todo.Store) {
	for i, at := range []time.Time{
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1, 1, 1, 0, 0, 0, 1_000, time.UTC),
		time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
		time.Unix(0, 0).UTC(),
		time.Date(2026, 2, 28, 23, 59, 59, 999_999_000, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
	} {
		st := todo.Stamp{ClientID: "erp", Now: at}
		r := report(name("t", i))
		r.DueAt = &at
		upsert(t, s, st, r)
		p := clearing(st, r.ID)
		p.ClearedAt = at
		result, err := s.Clear(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		want := itemOf(st, r)
		want.Status, want.Result, want.ClearedBy, want.Reason = todo.Cleared, p.Result, p.ClearedBy, p.Reason
		want.ClearedAt = &at
		wantStored(t, s, result.Item, want)
	}
}

func testTexts(t *testing.T, s todo.Store) {
	for i, text := range []string{
		" padded \t", "it's \"quoted\" \\ ; DROP TABLE todo; --", "e\u0301 \u00e9", "\U0001F600\u200d\u202e",
		"$1 ? %s :name", strings.Repeat("\u6f22", 1024),
	} {
		st := stamp(text, 0)
		r := report(name("x", i))
		r.SourceBizID, r.AssigneeUsername, r.InitiatorUsername = text, text, text
		r.Title, r.Summary, r.Category, r.ActionURL = text, text, text, text
		wantStored(t, s, upsert(t, s, st, r), itemOf(st, r))
	}
}

func testUpsertForeign(t *testing.T, s todo.Store) {
	st := owned("erp", 0)
	want := itemOf(st, report("a"))
	wantStored(t, s, upsert(t, s, st, report("a")), want)

	result, err := s.Upsert(t.Context(), todo.UpsertParams{Stamp: owned("crm", 1), Report: report("a")})
	if err != nil || result.Changed {
		t.Errorf("upsert of a foreign item: changed %v, %v", result.Changed, err)
	}
	wantStored(t, s, want, want)

	// An operator's change does not change hands: the creator owns the item still.
	upsert(t, s, stamp("operator", 2), report("a"))
	mine := owned("erp", 3)
	want.ModifyTime = mine.Now
	wantStored(t, s, upsert(t, s, mine, report("a")), want)
}

func testGetUnknown(t *testing.T, s todo.Store) {
	upsert(t, s, stamp("erp", 0), report("a"))
	_, err := s.Get(t.Context(), todo.GetParams{ID: "A"})
	if f := fault.As(err); f.Kind != fault.NotFound || f.Public != `todo "A" not found` {
		t.Errorf("get of an unknown id = %v, want NotFound", err)
	}
}

// testIDs has ids that a collation, a normal form, trimming or a pattern would mix up.
func testIDs(t *testing.T, s todo.Store) {
	ids := []string{
		"a", "A", "a ", " a", "\u00e9", "e\u0301", "\u212b", "\u00c5", "A\u030a", "ss", "\u00df", "i", "\u0131",
		"%", "_", "a%", "1", "01", "1.0", "a\U0001F600", "a\uFFFD", "a/b", "a%2Fb", strings.Repeat("\U0001F600", 255),
	}
	for i, id := range ids {
		upsert(t, s, stamp("erp", i), report(id))
	}
	for i, id := range ids {
		st := stamp("erp", i)
		wantStored(t, s, itemOf(st, report(id)), itemOf(st, report(id)))
	}
}
