package portal

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hub/contract"
)

// signals is an open stream, and what it says.
type signals struct{ events chan signal }

// signal is an event of a stream.
type signal struct {
	kind  string // of its event line
	data  string
	hasID bool // it has an id line
}

// hear opens the stream of a user with a query behind the user.
func hear(t *testing.T, s *contract.Session, user, query string, header http.Header) *signals {
	t.Helper()
	sent := http.Header{"Accept": {"text/event-stream"}}
	maps.Copy(sent, header)
	response := s.Begin(t, "/message-hub/stream?user="+url.QueryEscape(user)+query, sent)
	if response.StatusCode != http.StatusOK {
		t.Fatalf("the stream is answered with %s", response.Status)
	}
	l := &signals{make(chan signal, 1000)}
	lines := bufio.NewScanner(response.Body)
	lines.Scan() // the first line is there when the stream is taken up
	go func() {
		defer close(l.events)
		var e signal
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				e.kind = value
			case "id":
				e.hasID = true
			case "data":
				e.data = value
			case "":
				l.events <- e
				e = signal{}
			}
		}
	}()
	return l
}

// next waits for the next event.
func (l *signals) next(t *testing.T) signal {
	t.Helper()
	select {
	case e, ok := <-l.events:
		if !ok {
			t.Fatal("the stream has ended")
		}
		return e
	case <-time.After(patience):
		t.Fatal("no event comes")
	}
	return signal{}
}

// change is the next event that is no heartbeat, as its type and the id of its data.
func (l *signals) change(t *testing.T) string {
	t.Helper()
	for {
		e := l.next(t)
		var data struct {
			Type string          `json:"type"`
			ID   json.RawMessage `json:"id"`
			TS   int64           `json:"ts"`
		}
		if err := json.Unmarshal([]byte(e.data), &data); err != nil || data.Type != e.kind || data.TS == 0 {
			t.Fatalf("the event %+v: %v", e, err)
		}
		if e.hasID != (e.kind == "message" || e.kind == "read") {
			t.Fatalf("the event %+v has an id line: %v", e, e.hasID)
		}
		if e.kind != "heartbeat" {
			return e.kind + " " + string(data.ID)
		}
	}
}

// anyTodo is the event that any todo of the user may have changed. It may come at any time, since Hub makes up
// for faults by it.
const anyTodo = "todo null"

// changes are the next events up to one, without anyTodo, in any order.
func (l *signals) changes(t *testing.T, last string) []string {
	t.Helper()
	var all []string
	for {
		e := l.change(t)
		if e != anyTodo {
			all = append(all, e)
		}
		if e == last {
			slices.Sort(all)
			return all
		}
	}
}

// wants demands that these events come next, in any order.
func (l *signals) wants(t *testing.T, events ...string) {
	t.Helper()
	left := slices.Clone(events)
	for len(left) > 0 {
		e := l.change(t)
		i := slices.Index(left, e)
		switch {
		case i >= 0:
			left = slices.Delete(left, i, i+1)
		case e != anyTodo:
			t.Fatalf("the event %s comes, want %s", e, left)
		}
	}
}

// hears upserts a todo and waits for its event, which may otherwise come when the case has gone on: Hub gathers
// events for a moment, and not in the order of its replicas.
func (l *signals) hears(t *testing.T, s *contract.Session, body object) {
	t.Helper()
	change(t, s, "", body)
	l.wants(t, changed(body["todoId"]))
}

// changed is the event of a todo.
func changed(id any) string { return fmt.Sprintf("todo %q", id) }
