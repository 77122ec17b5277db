package contract

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"
)

// Session calls a target for a suite that stands beside this one. Every call is held to what this suite
// demands of all: an answer is what the target's own document says, and never a 5xx.
type Session struct {
	s  *suite
	as *caller
}

// Answer is what came back, read to its end.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte

	answer answer
}

// Open checks that the target can be tested at all, as Run does.
func Open(t *testing.T, target Target) *Session {
	t.Helper()
	s := newSuite(t, target)
	s.api.extend()
	return &Session{s, s.main}
}

// Other calls the same target as its client Other.
func (s *Session) Other() *Session { return &Session{s.s, s.s.other} }

// Settings are those of the target.
func (s *Session) Settings() Settings { return s.s.set }

// Call sends a request with the token of the session's client, unless the header has an Authorization. The
// path is escaped and may hold a query; a body that is not nil is sent as JSON.
func (s *Session) Call(t *testing.T, method, path string, body any, header http.Header) Answer {
	t.Helper()
	a := s.as.send(t, request{method: method, path: path, body: marshal(t, body), header: maps.Clone(header)})
	return Answer{Status: a.status, Header: a.got, Body: a.data, answer: a}
}

// Together sends bodies to a path at the same time and gives their answers, as Call does.
func (s *Session) Together(t *testing.T, path string, bodies ...any) []Answer {
	t.Helper()
	var requests []request
	for _, body := range bodies {
		requests = append(requests, request{method: http.MethodPost, path: path, body: marshal(t, body)})
	}
	var answers []Answer
	for _, a := range s.as.together(t, requests...) {
		answers = append(answers, Answer{Status: a.status, Header: a.got, Body: a.data, answer: a})
	}
	return answers
}

// OK demands a success without paging and gives its data.
func (a Answer) OK(t *testing.T) json.RawMessage {
	t.Helper()
	return a.answer.ok(t)
}

// Fails demands the envelope of a failure of the status, as the target's settings show it, and gives its
// message.
func (a Answer) Fails(t *testing.T, status int) string {
	t.Helper()
	return a.answer.fails(t, status)
}

// String is for messages of failing cases.
func (a Answer) String() string { return a.answer.String() }

// Fresh makes a name that no run has used before.
func Fresh(prefix string) string { return fresh(prefix) }

// Stream is an open stream of a user.
type Stream struct{ conn *connection }

// Listen opens the stream of a user, which ends with the test.
func (s *Session) Listen(t *testing.T, user string) Stream {
	t.Helper()
	return Stream{s.as.open(t, user, nil)}
}

// Change waits for the next event that is no heartbeat.
func (s Stream) Change(t *testing.T) (kind, id string) {
	t.Helper()
	e := s.conn.change(t)
	return e.data.Type, *e.data.ID
}
