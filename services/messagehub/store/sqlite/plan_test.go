package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/field"
	"example.com/hub/services/messagehub/internal/inbox"
)

func TestPlans(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "inbox.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })

	const listRange = "SEARCH i USING COVERING INDEX inbox_list (username=? AND status=?)"
	const byMessage = "SEARCH m USING COVERING INDEX sqlite_autoindex_message_1 (source_message_id=?)"
	const byKey = "SEARCH i USING PRIMARY KEY (message_id=? AND username=?)"
	ann := inbox.ListParams{Username: "ann", Page: field.Page{Size: 20}, Sort: inbox.DefaultSort}
	unread := ann
	unread.Status = inbox.Unread
	ofMessage := unread
	ofMessage.SourceMessageID = "m1"
	ofApp := ann
	ofApp.SourceAppID = "erp"

	type plan struct {
		name, query string
		args        []any
		// steps are all that the plan does, without what joins them.
		steps []string
	}
	plans := []plan{
		{"count unread", countUnread, []any{"ann"}, []string{
			"SEARCH inbox USING COVERING INDEX inbox_list (username=? AND status=?)",
		}},
		{"newest record", selectNewest, []any{"ann"}, []string{
			"SEARCH inbox USING INDEX inbox_list (username=? AND status=?)",
			"SEARCH inbox USING INDEX inbox_list (username=? AND status=?)",
		}},
		{"mark read", updateRead, []any{1, "portal", "m1", "ann"}, []string{
			"SEARCH inbox USING PRIMARY KEY (message_id=? AND username=?)",
			"SEARCH message USING COVERING INDEX sqlite_autoindex_message_1 (source_message_id=?)",
		}},
		{"records", selectRecords, []any{`[[1,"ann"]]`}, []string{
			"SCAN k VIRTUAL TABLE INDEX 1:",
			byKey,
			"SEARCH b USING INTEGER PRIMARY KEY (rowid=?)",
			"SEARCH m USING INTEGER PRIMARY KEY (rowid=?)",
		}},
	}
	add := func(name string, p inbox.ListParams, countSteps, keysSteps []string) {
		filters := filterArgs(p)
		plans = append(plans, plan{"total " + name, totals[keyOf(p)], filters, countSteps})
		for _, p.Sort.Descending = range []bool{true, false} {
			plans = append(plans, plan{
				fmt.Sprintf("keys %s descending %v", name, p.Sort.Descending),
				pages[keyOf(p)], append(filters, p.Page.Size, p.Page.Offset()), keysSteps,
			})
		}
	}
	add("of a user", ann,
		[]string{"SEARCH i USING COVERING INDEX inbox_list (username=?)"}, []string{listRange, listRange})
	add("of a user with a status", unread, []string{listRange}, []string{listRange})
	withApp := []string{listRange, "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"}
	add("of a user with an app", ofApp,
		[]string{"SEARCH i USING COVERING INDEX inbox_list (username=?)", withApp[1]}, append(withApp, withApp...))
	// The rows of one message and one user are few, so sorting them is right.
	add("of a user with a message id", ofMessage,
		[]string{byMessage, byKey}, []string{byMessage, byKey, "USE TEMP B-TREE FOR ORDER BY"})

	for _, after := range []*inbox.Place{nil, {At: time.Now(), Body: 7}} {
		for _, p := range []inbox.ListParams{ann, unread} {
			for _, p.Sort.Descending = range []bool{true, false} {
				step := "SEARCH i USING COVERING INDEX inbox_list (username=? AND status=?"
				switch {
				case after == nil:
					step += ")"
				case p.Sort.Descending:
					step += " AND (occurred_at,body_id)<(?,?))"
				default:
					step += " AND (occurred_at,body_id)>(?,?))"
				}
				steps := []string{step}
				if p.Status == 0 {
					steps = append(steps, step)
				}
				query, args := walkQuery(inbox.WalkParams{ListParams: p, After: after})
				plans = append(plans, plan{fmt.Sprintf("walk behind a place %t, status %d, descending %v", after != nil, p.Status, p.Sort.Descending), query, args, steps})
			}
		}
	}

	const begin = "SEARCH i USING INDEX inbox_list (username=? AND status=? AND (occurred_at,body_id)<(?,?))"
	const sort = "USE TEMP B-TREE FOR ORDER BY"
	query, args, err := searchQuery(inbox.SearchParams{
		Usernames: []string{"ann", "bob"}, Statuses: []inbox.Status{inbox.Unread}, Size: 21, After: &inbox.Place{At: time.Now()},
	})
	if err != nil {
		t.Fatal(err)
	}
	plans = append(plans, plan{"search of users", query, args, []string{
		"SCAN u VIRTUAL TABLE INDEX 1:", "SCAN s VIRTUAL TABLE INDEX 1:", byKey, begin, sort,
		"SCAN u", byKey, begin, sort,
	}})

	for _, p := range plans {
		t.Run(p.name, func(t *testing.T) {
			if got, want := s.explain(t, p.query, p.args), strings.Join(p.steps, "\n"); got != want {
				t.Errorf("plan:\n%s\nwant:\n%s\nof:%s", got, want, p.query)
			}
		})
	}
}

// explain gives the steps of the plan that read or sort rows, a line each.
func (s *Store) explain(t *testing.T, query string, args []any) string {
	t.Helper()
	rows, err := s.file.Read.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(step, "SEARCH") || strings.HasPrefix(step, "SCAN") || strings.Contains(step, "TEMP") {
			steps = append(steps, step)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}
