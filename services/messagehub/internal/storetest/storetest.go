// Package storetest is the conformance suite of inbox.Store. Every store runs it unchanged.
package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/field"
	"example.com/hub/services/messagehub/internal/inbox"
)

// Run checks that the stores that open makes keep the promises of inbox.Store. Every call of open
// must give an empty store that lasts until the end of the test that it is given.
func Run(t *testing.T, open func(t *testing.T) inbox.Store) {
	for _, group := range []struct {
		name  string
		tests []test
	}{
		{"Push", pushTests},
		{"MarkRead", markReadTests},
		{"ReadAll", readAllTests},
		{"Shared", sharedTests},
		{"List", listTests},
		{"Walk", walkTests},
		{"Search", searchTests},
		{"Retention", retentionTests},
		{"Values", valueTests},
		{"Context", contextTests},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, tt := range group.tests {
				t.Run(tt.name, func(t *testing.T) {
					t.Parallel()
					tt.run(t, open(t))
				})
			}
		})
	}
}

type test struct {
	name string
	run  func(t *testing.T, s inbox.Store)
}

// tester is what the helpers need of a *testing.T or a *rapid.T.
type tester interface {
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Helper()
}

// day is when the tests start; times are counted from it.
var day = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

func at(minutes int) time.Time { return day.Add(time.Duration(minutes) * time.Minute) }

// stamp is a change by the client, some minutes after day.
func stamp(client string, minutes int) inbox.Stamp {
	return inbox.Stamp{ClientID: client, Now: at(minutes)}
}

// message makes a push that is complete but for what a test changes.
func message(app, id string, targets ...string) inbox.PushParams {
	slices.Sort(targets)
	return inbox.PushParams{
		Stamp:           stamp(app, 1),
		SourceMessageID: id,
		Targets:         targets,
		Message:         inbox.Message{Title: "title of " + id, Content: "content of " + id, Category: "notice"},
		OccurredAt:      at(0),
	}
}

func push(t tester, s inbox.Store, p inbox.PushParams) inbox.PushResult {
	t.Helper()
	result, err := s.Push(t.Context(), p)
	if err != nil {
		t.Fatalf("push %q: %v", p.SourceMessageID, err)
	}
	return result
}

// usernames are the users of the created records.
func usernames(created []inbox.Created) []string {
	list := make([]string, len(created))
	for i, c := range created {
		list[i] = c.Username
	}
	return list
}

func markRead(t tester, s inbox.Store, id, username string, now time.Time) int {
	t.Helper()
	result, err := s.MarkRead(t.Context(), inbox.MarkReadParams{
		Stamp: inbox.Stamp{ClientID: "portal", Now: now}, SourceMessageID: id, Username: username,
	})
	if err != nil {
		t.Fatalf("mark read %q of %q: %v", id, username, err)
	}
	return result.Switched
}

func unread(t tester, s inbox.Store, username string) int64 {
	t.Helper()
	n, err := s.CountUnread(t.Context(), inbox.CountUnreadParams{Username: username})
	if err != nil {
		t.Fatalf("count unread of %q: %v", username, err)
	}
	return n
}

func page(number, size int64) field.Page { return field.Page{Number: number, Size: size} }

// list fills in the first page and the default sort where p has none.
func list(t tester, s inbox.Store, p inbox.ListParams) inbox.ListResult {
	t.Helper()
	if p.Page == (field.Page{}) {
		p.Page = page(0, 1000)
	}
	if p.Sort == (inbox.Sort{}) {
		p.Sort = inbox.DefaultSort
	}
	result, err := s.List(t.Context(), p)
	if err != nil {
		t.Fatalf("list %+v: %v", p, err)
	}
	return result
}

// only gives the one record of the user.
func only(t tester, s inbox.Store, username string) inbox.Record {
	t.Helper()
	result := list(t, s, inbox.ListParams{Username: username})
	if len(result.Records) != 1 || result.Total != 1 {
		t.Fatalf("%q has %d records and total %d, want 1", username, len(result.Records), result.Total)
	}
	return result.Records[0]
}

func equal[V any](t tester, what string, got, want V) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// users makes n usernames in byte order.
func users(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("user-%05d", i)
	}
	return names
}
