package contract

import (
	"net/http"
	"testing"
)

func resumeCases() []testCase {
	return []testCase{
		settled("without a Last-Event-ID nothing is replayed", resumeNone),
		settled("a known Last-Event-ID replays what followed", resumeKnown),
		settled("a read event can be resumed from", resumeRead),
		settled("an unknown Last-Event-ID yields one message event with the newest id", resumeUnknown),
		settled("an unknown Last-Event-ID of an empty inbox yields nothing", resumeEmpty),
		settled("an unusable Last-Event-ID counts as unknown", resumeUnusable),
	}
}

// lastEventID is the header that a browser sends when it reconnects.
func lastEventID(id string) http.Header { return http.Header{"Last-Event-Id": {id}} }

// pushFollowed pushes to a connected user and gives the event's id.
func (conn *connection) pushFollowed(t *testing.T, s *suite, user string) (id string) {
	t.Helper()
	s.main.push(t, newMessage(user))
	return *conn.change(t).data.ID
}

// reaches demands that a change comes; before it only the allowed ones may be repeated.
func (conn *connection) reaches(t *testing.T, kind, id string, repeated ...string) {
	t.Helper()
	for {
		e := conn.change(t)
		if e.data.Type == kind && *e.data.ID == id {
			return
		}
		known := false
		for _, r := range repeated {
			known = known || *e.data.ID == r
		}
		if !known {
			t.Fatalf("the event is %s %q, want %s %q", e.data.Type, *e.data.ID, kind, id)
		}
	}
}

func resumeNone(t *testing.T, s *suite) {
	_, body := s.announced(t)
	s.main.open(t, body.target(), nil).wantsNothingElse(t, s, body.target())
}

func resumeKnown(t *testing.T, s *suite) {
	user := fresh("user")
	conn := s.main.open(t, user, nil)
	first := conn.pushFollowed(t, s, user)
	second := conn.pushFollowed(t, s, user)
	third := conn.pushFollowed(t, s, user)

	resumed := s.main.open(t, user, lastEventID(first))
	resumed.reaches(t, "message", second, first)
	resumed.reaches(t, "message", third, first, second)
	fourth := newMessage(user)
	s.main.push(t, fourth)
	resumed.wantsMessage(t, s, fourth)
}

func resumeRead(t *testing.T, s *suite) {
	user := fresh("user")
	conn := s.main.open(t, user, nil)
	body := newMessage(user)
	s.main.push(t, body)
	first := *conn.change(t).data.ID
	s.main.markRead(t, body.messageID(), user)
	conn.wants(t, "read", body.messageID())
	last := conn.pushFollowed(t, s, user)

	s.main.open(t, user, lastEventID(body.messageID())).reaches(t, "message", last, first, body.messageID())
	s.main.open(t, user, lastEventID(first)).reaches(t, "read", body.messageID(), first)
}

func resumeUnknown(t *testing.T, s *suite) {
	witness, body := s.announced(t)
	user := body.target()
	newest := witness.pushFollowed(t, s, user)
	conn := s.main.open(t, user, lastEventID(fresh("unknown")))
	conn.wants(t, "message", newest)
	conn.wantsNothingElse(t, s, user)
}

func resumeEmpty(t *testing.T, s *suite) {
	user := fresh("user")
	conn := s.main.open(t, user, lastEventID(fresh("unknown")))
	sentinel := newMessage(user)
	s.main.push(t, sentinel)
	conn.wantsMessage(t, s, sentinel)
}

func resumeUnusable(t *testing.T, s *suite) {
	_, body := s.announced(t)
	newest := s.main.record(t, body.target()).ID
	for _, id := range []string{longText(2000), "\xff\xfe", "a\tb"} {
		s.main.open(t, body.target(), lastEventID(id)).wants(t, "message", newest)
	}
}
