// Package storetest is what every todo.Store must do, as tests.
package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/todohub/internal/todo"
)

// Run runs the suite. newStore gives an empty store that lives as long as its t.
func Run(t *testing.T, newStore func(t *testing.T) todo.Store) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(t *testing.T, s todo.Store)
	}{
		{"Ping/answers in use", testPing},
		{"Upsert/creates an open item", testUpsertCreates},
		{"Upsert/replaces the report and nothing else", testUpsertReplaces},
		{"Upsert/keeps what a finish wrote", testUpsertKeepsFinish},
		{"Upsert/keeps every instant to the microsecond", testInstants},
		{"Upsert/keeps texts byte by byte", testTexts},
		{"Upsert/leaves a foreign item", testUpsertForeign},
		{"Share/each of many callers has its own outcome", testShare},
		{"Share/who leaves takes nobody along", testShareWithLeavers},
		{"Former/an upsert tells whose the item was", testFormer},
		{"Former/of many at once each is told once", testRaceFormer},
		{"Batch/does what single upserts do", testUpsertMany},
		{"Batch/many at once wait for each other", testRaceBatches},
		{"Reconcile/closes exactly what is gone", testReconcile},
		{"Reconcile/a report that comes meanwhile is never lost", testRaceReconcile},
		{"Version/an older one changes nothing", testOlderVersion},
		{"Version/none changes the item and keeps the stored one", testNoVersion},
		{"Version/of many at once the highest stands", testRaceVersions},
		{"Get/unknown id", testGetUnknown},
		{"Get/tells ids apart byte by byte", testIDs},
		{"Clear/switches an open item", testClear},
		{"Invalidate/switches an open item", testInvalidate},
		{"Finish/leaves a finished item alone", testFinishTwice},
		{"Finish/unknown id", testFinishUnknown},
		{"Finish/refuses a foreign item", testFinishForeign},
		{"Clock/a step back changes no modify time", testClockBack},
		{"List/filters", testListFilters},
		{"List/has payloads where it asks for them", testListPayloads},
		{"List/tells usernames apart byte by byte", testListUsernames},
		{"List/follows changes", testListFollows},
		{"List/orders by every field", testListOrders},
		{"List/past the end", testListPastEnd},
		{"Walk/orders by every field of a cursor", testWalkOrders},
		{"Walk/begins behind any place", testWalkPlaces},
		{"Walk/each item comes once while others change", testWalkWhileChanging},
		{"Count/counts the lists that are asked for", testCount},
		{"Search/pages are the list of what matches", testSearch},
		{"Retention/removes what was finished before", testRetention},
		{"Retention/an empty store", testRetentionEmpty},
		{"Retention/a removed id is new", testRetentionForgets},
		{"Race/first finish wins", testRaceFinish},
		{"Race/first upsert creates", testRaceUpsert},
		{"Race/ownership is decided with the write", testRaceOwnership},
		{"Race/page and total are one snapshot", testRaceSnapshot},
		{"Race/counts are of one snapshot", testRaceCount},
		{"Race/a report wins over its removal", testRaceRetention},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, newStore(t)) })
	}
}

// start is the time of the first stamp.
var start = time.Date(2026, 3, 4, 5, 6, 7, 123_456_000, time.UTC)

// stamp is a change by the client, some milliseconds after start.
func stamp(client string, millis int) todo.Stamp {
	return todo.Stamp{ClientID: client, Now: start.Add(time.Duration(millis) * time.Millisecond)}
}

// owned is a stamp of a client that may change only its own items.
func owned(client string, millis int) todo.Stamp {
	s := stamp(client, millis)
	s.Owner = client
	return s
}

// report fills every field with a value of its own.
func report(id string) todo.Report {
	due := start.Add(48 * time.Hour)
	return todo.Report{
		ID: id, Type: todo.Handle, SourceBizID: "biz " + id,
		AssigneeUsername: "ann", InitiatorUsername: "ian",
		Title: "title " + id, Summary: "summary " + id, Category: "category", ActionURL: "/act/" + id,
		DueAt: &due, ActionAppID: "app " + id, Payload: ` { "n": 1.0, "n": [ ] } `, EventCenterRef: "ref " + id,
		SourceVersion: version(7),
	}
}

func version(n int64) *int64 { return &n }

// itemOf is what the first upsert stores.
func itemOf(s todo.Stamp, r todo.Report) todo.Item {
	return todo.Item{
		Report: r, SourceSystem: s.ClientID, Status: todo.Open, CreateTime: s.Now, ModifyTime: s.Now, CreatorID: s.ClientID, ModifierID: s.ClientID,
	}
}

func upsert(t *testing.T, s todo.Store, st todo.Stamp, r todo.Report) todo.Item {
	t.Helper()
	result, err := s.Upsert(t.Context(), todo.UpsertParams{Stamp: st, Report: r})
	if err != nil || !result.Changed {
		t.Fatalf("upsert %q: changed %v, %v", r.ID, result.Changed, err)
	}
	return result.Item
}

func clearing(st todo.Stamp, id string) todo.ClearParams {
	return todo.ClearParams{
		Stamp: st, ID: id, Result: "approved", ClearedAt: st.Now.Add(-time.Hour),
		ClearedBy: "carl", Reason: "fine",
	}
}

func clearItem(t *testing.T, s todo.Store, st todo.Stamp, id string) todo.Item {
	t.Helper()
	result, err := s.Clear(t.Context(), clearing(st, id))
	if err != nil || !result.Changed {
		t.Fatalf("clear %q: changed %v, %v", id, result.Changed, err)
	}
	return result.Item
}

func invalidateItem(t *testing.T, s todo.Store, st todo.Stamp, id string) todo.Item {
	t.Helper()
	result, err := s.Invalidate(t.Context(), todo.InvalidateParams{Stamp: st, ID: id, Reason: "void"})
	if err != nil || !result.Changed {
		t.Fatalf("invalidate %q: changed %v, %v", id, result.Changed, err)
	}
	return result.Item
}

// wantStored checks that the item is what the call answered and what a later read finds.
func wantStored(t *testing.T, s todo.Store, answered, want todo.Item) {
	t.Helper()
	if diff := cmp.Diff(want, answered); diff != "" {
		t.Errorf("answered (-want +got):\n%s", diff)
	}
	stored, err := s.Get(t.Context(), todo.GetParams{ID: want.ID})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, stored); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func testPing(t *testing.T, s todo.Store) {
	for range 2 {
		if err := s.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		upsert(t, s, stamp("erp", 0), report("a"))
	}
}

func name(prefix string, n int) string { return fmt.Sprintf("%s%03d", prefix, n) }
