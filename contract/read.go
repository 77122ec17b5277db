package contract

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readCases() []testCase {
	return []testCase{
		stated("UNREAD becomes READ with readAt now", readSwitches),
		stated("the path is matched against sourceMessageId and not the record id", readBySourceID),
		stated("every UNREAD record of the user with that id is switched", readEvery),
		stated("records of other users and other messages stay", readOthers),
		stated("a READ record stays as it is", readAgain),
		settled("mark read that matches nothing succeeds", readNothing),
		settled("Hub-Switched tells the count", readCount),
		settled("a missing or empty username is refused", readNoUser),
		settled("mark read sets modifier and modifyTime", readModifier),
		settled("many mark reads at once switch once", readRace),
	}
}

func readSwitches(t *testing.T, s *suite) {
	body := newMessage()
	s.main.push(t, body)
	before := s.main.record(t, body.target())
	s.main.markRead(t, body.messageID(), body.target())
	after := s.main.record(t, body.target())
	if after.Status != "READ" || after.ReadAt == nil {
		t.Fatalf("the record is %s, read at %v", after.Status, after.ReadAt)
	}
	aboutNow(t, "readAt", *after.ReadAt)
	if after.ID != before.ID {
		t.Errorf("the id went from %q to %q", before.ID, after.ID)
	}
	want := wantMessage(body, s.main.cred.ID, body.target())
	want.Status, want.ReadAt = "READ", after.ReadAt
	sameMessage(t, after, want)
}

func readBySourceID(t *testing.T, s *suite) {
	body := newMessage()
	s.main.push(t, body)
	s.main.markRead(t, s.main.record(t, body.target()).ID, body.target())
	if m := s.main.record(t, body.target()); m.Status != "UNREAD" {
		t.Errorf("the record id marked the record %s", m.Status)
	}
}

func readEvery(t *testing.T, s *suite) {
	body := newMessage()
	s.main.push(t, body)
	s.other.push(t, body)
	s.main.markRead(t, body.messageID(), body.target())
	if got := s.main.inbox(t, "username", body.target(), "status", "READ"); len(got) != 2 {
		t.Errorf("%d records are READ, want those of both clients", len(got))
	}
}

func readOthers(t *testing.T, s *suite) {
	ann, bob := fresh("ann"), fresh("bob")
	first, second := newMessage(ann, bob), newMessage(ann)
	s.main.push(t, first)
	s.main.push(t, second)
	s.main.markRead(t, first.messageID(), ann)
	if m := s.main.record(t, bob); m.Status != "UNREAD" {
		t.Errorf("the record of another user is %s", m.Status)
	}
	got := messageIDs(s.main.inbox(t, "username", ann, "status", "UNREAD"))
	if !slices.Equal(got, []string{second.messageID()}) {
		t.Errorf("the unread messages are %q", got)
	}
}

func readAgain(t *testing.T, s *suite) {
	body := newMessage()
	s.main.push(t, body)
	s.main.markRead(t, body.messageID(), body.target())
	first := s.main.record(t, body.target())
	s.other.markRead(t, body.messageID(), body.target())
	if diff := cmp.Diff(first, s.main.record(t, body.target()), cmp.AllowUnexported(inboxMessage{})); diff != "" {
		t.Errorf("the record changed (-want +got):\n%s", diff)
	}
}

func readNothing(t *testing.T, s *suite) {
	body := newMessage()
	s.main.push(t, body)
	s.main.markRead(t, fresh("nothing"), body.target())
	s.main.markRead(t, body.messageID(), fresh("nobody"))
	if m := s.main.record(t, body.target()); m.Status != "UNREAD" {
		t.Errorf("the record is %s", m.Status)
	}
}

func readCount(t *testing.T, s *suite) {
	body := newMessage()
	s.main.push(t, body)
	s.other.push(t, body)
	for _, tt := range []struct {
		name, messageID, user string
		want                  int
	}{
		{"an unknown message", fresh("nothing"), body.target(), 0},
		{"another user", body.messageID(), fresh("nobody"), 0},
		{"the records of both clients", body.messageID(), body.target(), 2},
		{"what is READ already", body.messageID(), body.target(), 0},
	} {
		a := s.main.send(t, request{method: http.MethodPost, path: readPath(tt.messageID, "username", tt.user)})
		a.okNull(t)
		if got := a.count(t, "Hub-Switched"); got != tt.want {
			t.Errorf("%s: Hub-Switched is %d, want %d", tt.name, got, tt.want)
		}
	}
}

func readNoUser(t *testing.T, s *suite) {
	body := newMessage()
	s.main.push(t, body)
	for _, path := range []string{
		readPath(body.messageID()),
		readPath(body.messageID(), "username", ""),
		readPath(body.messageID(), "username", " "),
		readPath(body.messageID(), "user", body.target()),
	} {
		s.main.send(t, request{method: http.MethodPost, path: path}).failsNaming(t, "username")
	}
	// The username counts in the query only.
	s.main.post(t, readPath(body.messageID()), fields{"username": body.target()}).failsNaming(t, "username")
	if m := s.main.record(t, body.target()); m.Status != "UNREAD" {
		t.Errorf("the record is %s", m.Status)
	}
}

func readModifier(t *testing.T, s *suite) {
	user := fresh("user")
	first, second := newMessage(user), newMessage(user)
	s.main.push(t, first)
	s.main.push(t, second)
	s.other.markRead(t, first.messageID(), user)
	records := s.main.inbox(t, "username", user, "sort", "modifyTime,desc")
	if got := records[0]; got.SourceMessageID != first.messageID() {
		t.Errorf("the record read last is not the one modified last")
	} else if got.ModifierID != s.other.cred.ID || got.CreatorID != s.main.cred.ID {
		t.Errorf("modifier %q, creator %q", got.ModifierID, got.CreatorID)
	}
}

func readRace(t *testing.T, s *suite) {
	stream, body := s.announced(t)
	call := request{method: http.MethodPost, path: readPath(body.messageID(), "username", body.target())}
	for _, a := range s.main.together(t, slices.Repeat([]request{call}, 8)...) {
		a.okNull(t)
	}
	stream.wants(t, "read", body.messageID())
	stream.wantsNothingElse(t, s, body.target())
}
