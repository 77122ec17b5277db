package contract

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
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

// Feed calls the same target as its client Feed.
func (s *Session) Feed() *Session {
	c := s.s.target.Feed
	if c == (Credentials{}) {
		c = Credentials{ID: "hr", Secret: "hr-secret"}
	}
	return &Session{s.s, newCaller(s.s, c, "directory")}
}

// Settings are those of the target.
func (s *Session) Settings() Settings { return s.s.set }

// Call sends a request with the token of the session's client, unless the header has an Authorization. The
// path is escaped and may hold a query; a body that is not nil is sent as JSON.
func (s *Session) Call(t *testing.T, method, path string, body any, header http.Header) Answer {
	t.Helper()
	a := s.as.send(t, request{method: method, path: path, body: marshal(t, body), header: maps.Clone(header)})
	return Answer{Status: a.status, Header: a.got, Body: a.data, answer: a}
}

// Begin sends a GET with the token of the session's client and gives the answer when its header is there, for
// what does not end by itself. It ends with the test.
func (s *Session) Begin(t *testing.T, path string, header http.Header) *http.Response {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(cancel)
	sent := http.Header{"Authorization": {"Bearer " + s.as.bearer(t)}}
	maps.Copy(sent, header)
	response, err := s.s.do(ctx, request{method: http.MethodGet, path: path, header: sent})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
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

// Access is what a suite reaches the target with beside calls: its address, a client that trusts it and
// follows no redirects, and the header with the token of the session's client.
func (s *Session) Access(t *testing.T) (base string, client *http.Client, header http.Header) {
	t.Helper()
	return strings.TrimSuffix(s.s.base.String(), "/"), s.s.http, http.Header{"Authorization": {"Bearer " + s.as.bearer(t)}}
}

// Limited gives the Authorization of the target's client without the scope.
func (s *Session) Limited(t *testing.T) string {
	t.Helper()
	return "Bearer " + s.s.limited.bearer(t)
}
