package hub_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	hub "example.com/hub/clients/go"
)

// edge answers requests for a stream, without a network, so that its clock can be synctest's.
type edge struct {
	// answers are for one request after the other; the last one serves on.
	answers []answer
	seen    []*http.Request
	at      []time.Time
}

// answer is what an edge says.
type answer struct {
	// status is 200 where it is 0.
	status int
	// text is the whole body, or what comes first.
	text string
	// end is how the body ends: io.EOF in order, another error by a cut, nil not at all.
	end error
	// then goes on with a body that has not ended.
	then func(w io.Writer)
}

// RoundTrip implements http.RoundTripper.
func (e *edge) RoundTrip(r *http.Request) (*http.Response, error) {
	a := e.answers[min(len(e.seen), len(e.answers)-1)]
	e.seen, e.at = append(e.seen, r), append(e.at, time.Now())
	if a.status == 0 && a.end != nil && a.text == "" {
		return nil, a.end
	}
	if a.status != 0 {
		return answerOf(a.status, a.text), nil
	}
	body, w := io.Pipe()
	stop := context.AfterFunc(r.Context(), func() { _ = w.CloseWithError(r.Context().Err()) })
	go func() {
		_, _ = io.WriteString(w, a.text)
		if a.then != nil {
			a.then(w)
		}
		if a.end != nil {
			stop()
			_ = w.CloseWithError(a.end)
		}
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream;charset=UTF-8"}}, Body: body}, nil
}

func (e *edge) watcher() hub.Watcher {
	return hub.Watcher{
		URL: "http://hub.test/", User: "alice", Tokens: hub.StaticToken("t"), Client: &http.Client{Transport: e},
	}
}

func message(id string) string {
	return fmt.Sprintf("event: message\nid: %s\ndata: {\"type\":\"message\",\"id\":%[1]q,\"ts\":1700000000000}\n\n", id)
}

// take gives the first n events, as TYPE or TYPE:ID.
func take(t *testing.T, w hub.Watcher, n int) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	var got []string
	for e, err := range w.Events(ctx) {
		if err != nil {
			t.Fatalf("after %q: %v", got, err)
		}
		text := string(e.Type)
		if e.ID != "" {
			text += ":" + e.ID
		}
		if got = append(got, text); len(got) == n {
			return got
		}
	}
	t.Fatalf("it ended after %q", got)
	return nil
}
