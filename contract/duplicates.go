package contract

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func duplicateCases() []testCase {
	return []testCase{
		stated("a key that exists is ignored", duplicateIgnored),
		stated("a key that exists leaves a READ record as it is", duplicateRead),
		settled("a name repeated in one push gets one record and counts once", duplicateTargets),
		settled("Hub-Created and Hub-Duplicates tell the counts", duplicateCounts),
		settled("new users of a stored message get the new content", duplicateNewUsers),
		settled("two clients may use the same message id", duplicateClients),
		settled("keys that join to the same string are different", duplicateColons),
		settled("message ids and usernames are compared byte by byte", duplicateBytewise),
		settled("the same push at once stores each record once", duplicateRace),
	}
}

func duplicateIgnored(t *testing.T, s *suite) {
	body := newMessage()
	s.main.push(t, body)
	first := s.main.record(t, body.target())
	again := body.with("title", "Other").with("content", "Other").with("category", "other").
		with("actions", []fields{}).with("occurredAt", "2033-01-01T00:00:00Z")
	s.main.push(t, again)
	if diff := cmp.Diff(first, s.main.record(t, body.target()), cmp.AllowUnexported(inboxMessage{})); diff != "" {
		t.Errorf("the record changed (-want +got):\n%s", diff)
	}
}

func duplicateRead(t *testing.T, s *suite) {
	body := newMessage()
	s.main.push(t, body)
	s.main.markRead(t, body.messageID(), body.target())
	first := s.main.record(t, body.target())
	s.main.push(t, body)
	if diff := cmp.Diff(first, s.main.record(t, body.target()), cmp.AllowUnexported(inboxMessage{})); diff != "" {
		t.Errorf("the record changed (-want +got):\n%s", diff)
	}
	if got := s.main.unread(t, body.target()); got != 0 {
		t.Errorf("the unread count is %d", got)
	}
}

func duplicateTargets(t *testing.T, s *suite) {
	ann, bob := fresh("ann"), fresh("bob")
	body := newMessage(ann, bob, ann, ann)
	if got := s.main.push(t, body); got != (pushed{Created: 2}) {
		t.Errorf("the counts are %+v, want 2 created", got)
	}
	s.main.record(t, ann)
	s.main.record(t, bob)
	if got := s.main.push(t, body); got != (pushed{Duplicates: 2}) {
		t.Errorf("the counts are %+v, want 2 duplicates", got)
	}
}

func duplicateCounts(t *testing.T, s *suite) {
	ann, bob, cem := fresh("ann"), fresh("bob"), fresh("cem")
	body := newMessage(ann, bob)
	for _, step := range []struct {
		targets []string
		want    pushed
	}{
		{[]string{ann, bob}, pushed{Created: 2}},
		{[]string{ann, bob}, pushed{Duplicates: 2}},
		{[]string{cem, ann}, pushed{Created: 1, Duplicates: 1}},
		{[]string{cem, bob, ann}, pushed{Duplicates: 3}},
	} {
		if got := s.main.push(t, body.with("targetUsernames", step.targets)); got != step.want {
			t.Errorf("%q: the counts are %+v, want %+v", step.targets, got, step.want)
		}
	}
}

func duplicateNewUsers(t *testing.T, s *suite) {
	ann, bob := fresh("ann"), fresh("bob")
	old := newMessage(ann)
	s.main.push(t, old)
	renewed := newMessage(ann, bob).with("sourceMessageId", old.messageID()).with("title", "New").
		with("content", "New").with("category", "new").with("actions", []fields{{"label": "New", "url": "/new"}}).
		with("occurredAt", "2034-01-01T00:00:00Z")
	if got := s.main.push(t, renewed); got != (pushed{Created: 1, Duplicates: 1}) {
		t.Errorf("the counts are %+v", got)
	}
	sameMessage(t, s.main.record(t, ann), wantMessage(old, s.main.cred.ID, ann))
	sameMessage(t, s.main.record(t, bob), wantMessage(renewed, s.main.cred.ID, bob))

	// The first content again, for a third user.
	cem := fresh("cem")
	s.main.push(t, old.with("targetUsernames", []string{cem}))
	sameMessage(t, s.main.record(t, cem), wantMessage(old, s.main.cred.ID, cem))
}

func duplicateClients(t *testing.T, s *suite) {
	body := newMessage()
	s.main.push(t, body)
	if got := s.other.push(t, body.with("title", "Of the other")); got != (pushed{Created: 1}) {
		t.Errorf("the counts are %+v, want 1 created", got)
	}
	records := s.main.inbox(t, "username", body.target(), "sort", "id,asc")
	var apps []string
	for _, m := range records {
		apps = append(apps, m.SourceAppID)
	}
	slices.Sort(apps)
	want := []string{s.main.cred.ID, s.other.cred.ID}
	slices.Sort(want)
	if !slices.Equal(apps, want) {
		t.Errorf("the apps are %q, want %q", apps, want)
	}
}

// Message "m:a" for "b" and message "m" for "a:b" both join to "app:m:a:b".
func duplicateColons(t *testing.T, s *suite) {
	id, user := fresh("m"), fresh("u")
	first := newMessage("b"+user).with("sourceMessageId", id+":a")
	second := newMessage("a:b"+user).with("sourceMessageId", id)
	s.main.push(t, first)
	if got := s.main.push(t, second); got != (pushed{Created: 1}) {
		t.Errorf("the counts are %+v, want 1 created", got)
	}
	one, two := s.main.record(t, first.target()), s.main.record(t, second.target())
	if one.IdempotencyKey != two.IdempotencyKey || one.ID == two.ID {
		t.Errorf("the keys are %q and %q, the ids %q and %q", one.IdempotencyKey, two.IdempotencyKey, one.ID, two.ID)
	}
}

func duplicateBytewise(t *testing.T, s *suite) {
	for _, pair := range distinctTwins() {
		id, user := fresh("m"), fresh("u")
		body := newMessage(user+pair[0], user+pair[1])
		if got := s.main.push(t, body); got != (pushed{Created: 2}) {
			t.Errorf("the usernames %q and %q: the counts are %+v", pair[0], pair[1], got)
		}
		for _, end := range pair {
			if got := s.main.push(t, newMessage(user).with("sourceMessageId", id+end)); got != (pushed{Created: 1}) {
				t.Errorf("the message ids %q and %q: the counts are %+v", pair[0], pair[1], got)
			}
		}
	}
}

func duplicateRace(t *testing.T, s *suite) {
	users := make([]string, 20)
	for i := range users {
		users[i] = fresh("u")
	}
	body := newMessage(users...)
	var calls []request
	for i := range 8 {
		// Another order each time, since stores that lock row by row would deadlock.
		order := append(slices.Clone(users[i:]), users[:i]...)
		if i%2 == 1 {
			slices.Reverse(order)
		}
		data := marshal(t, body.with("targetUsernames", order))
		calls = append(calls, request{method: http.MethodPost, path: messagesPath, body: data})
	}
	total := pushed{}
	for _, a := range s.main.together(t, calls...) {
		got := a.pushed(t)
		total.Created += got.Created
		total.Duplicates += got.Duplicates
	}
	if want := (pushed{Created: 20, Duplicates: 140}); total != want {
		t.Errorf("the counts add up to %+v, want %+v", total, want)
	}
	if records := s.main.inbox(t, "sourceMessageId", body.messageID(), "size", "100"); len(records) != 20 {
		t.Errorf("%d records are stored, want 20", len(records))
	}
}
