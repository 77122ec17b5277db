package contract

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"
)

// eventData is the data of every event; it has exactly these fields.
type eventData struct {
	Type string  `json:"type"`
	ID   *string `json:"id"`
	TS   int64   `json:"ts"`
}

// event is one event of a stream with its data.
type event struct {
	sseEvent
	data eventData
	// at is when the suite got it.
	at time.Time
}

// parseEvent reads the data of an event and checks what holds for every one.
func parseEvent(raw sseEvent) (event, error) {
	data, err := decodeExact[eventData]([]byte(raw.Data))
	if err != nil {
		return event{}, err
	}
	e := event{sseEvent: raw, data: data, at: time.Now()}
	if raw.Name != data.Type {
		return e, fmt.Errorf("the event line says %q, the data %q", raw.Name, data.Type)
	}
	if off := e.at.Sub(time.UnixMilli(data.TS)); off < -clockSlack || off > clockSlack {
		return e, fmt.Errorf("ts %d is %s off", data.TS, off)
	}
	switch data.Type {
	case "heartbeat":
		if data.ID != nil || raw.HasID {
			return e, fmt.Errorf("a heartbeat has an id: %+v", raw)
		}
	case "message", "read":
		if data.ID == nil || !raw.HasID || raw.LastEventID != *data.ID {
			return e, fmt.Errorf("the id line does not match the data: %+v", raw)
		}
	default:
		return e, fmt.Errorf("unknown type %q", data.Type)
	}
	return e, nil
}

// connection is an open stream of one user.
type connection struct {
	header http.Header
	events chan event
	// ended is closed when the stream is over; err then tells why.
	ended chan struct{}
	err   error

	mu      sync.Mutex
	retries []int
}

// open connects a user's stream and waits until the server has taken it up: the retry field is its
// first sign. header may carry a Last-Event-ID. The stream ends with the test.
func (c *caller) open(t *testing.T, user string, header http.Header) *connection {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	sent := http.Header{"Authorization": {"Bearer " + c.bearer(t)}, "Accept": {"text/event-stream"}}
	for name, values := range header {
		sent[name] = values
	}
	response, err := c.s.do(ctx, request{
		method: http.MethodGet,
		path:   streamPath + "?" + pairs([]string{"user", user}),
		header: sent,
	})
	if err != nil {
		cancel()
		t.Fatalf("open the stream of %s: %v", user, err)
	}
	conn := &connection{
		header: response.Header,
		events: make(chan event, 256),
		ended:  make(chan struct{}),
	}
	taken := make(chan struct{})
	reader := newSSEReader(response.Body, func(ms int) {
		conn.mu.Lock()
		defer conn.mu.Unlock()
		if conn.retries = append(conn.retries, ms); len(conn.retries) == 1 {
			close(taken)
		}
	})
	var done sync.WaitGroup
	done.Go(func() { conn.read(reader) })
	t.Cleanup(func() {
		cancel()
		_ = response.Body.Close()
		done.Wait()
	})
	if response.StatusCode != http.StatusOK {
		t.Fatalf("the stream of %s was answered with %d", user, response.StatusCode)
	}
	select {
	case <-taken:
	case <-conn.ended:
		t.Fatalf("the stream of %s ended at once: %v", user, conn.err)
	case <-time.After(eventTimeout):
		t.Fatalf("the stream of %s has no retry field", user)
	}
	return conn
}

// read passes events on until the stream ends. While the case looks elsewhere the channel may fill
// up; heartbeats are then dropped, and anything else ends the stream with an error.
func (conn *connection) read(reader *sseReader) {
	defer close(conn.ended)
	for {
		raw, err := reader.next()
		if err != nil {
			conn.err = err
			return
		}
		e, err := parseEvent(raw)
		if err != nil {
			conn.err = fmt.Errorf("bad event: %w", err)
			return
		}
		select {
		case conn.events <- e:
		default:
			if e.data.Type == "heartbeat" {
				continue
			}
			conn.err = fmt.Errorf("more than %d events were not looked at", cap(conn.events))
			return
		}
	}
}

// retryFields are the reconnect times that the stream has announced so far, in milliseconds.
func (conn *connection) retryFields() []int {
	conn.mu.Lock()
	defer conn.mu.Unlock()
	return append([]int(nil), conn.retries...)
}

// next waits for the next event of any kind.
func (conn *connection) next(t *testing.T, within time.Duration) event {
	t.Helper()
	timer := time.NewTimer(within)
	defer timer.Stop()
	e, ok := conn.wait(t, timer)
	if !ok {
		t.Fatalf("no event within %s", within)
	}
	return e
}

// change waits for the next event that is not a heartbeat.
func (conn *connection) change(t *testing.T) event {
	t.Helper()
	timer := time.NewTimer(eventTimeout)
	defer timer.Stop()
	for {
		e, ok := conn.wait(t, timer)
		if !ok {
			t.Fatalf("nothing but heartbeats within %s", eventTimeout)
		}
		if e.data.Type != "heartbeat" {
			return e
		}
	}
}

// wait gives the next event, or false when the timer runs out first.
func (conn *connection) wait(t *testing.T, timer *time.Timer) (e event, ok bool) {
	t.Helper()
	select {
	case e = <-conn.events:
		return e, true
	case <-conn.ended:
		if len(conn.events) > 0 {
			return <-conn.events, true
		}
		t.Fatalf("the stream ended: %v", conn.err)
	case <-timer.C:
	}
	return e, false
}

// wants demands that the next change is of the kind and has the id.
func (conn *connection) wants(t *testing.T, kind, id string) {
	t.Helper()
	e := conn.change(t)
	if e.data.Type != kind || *e.data.ID != id {
		t.Fatalf("the event is %s %q, want %s %q", e.data.Type, *e.data.ID, kind, id)
	}
}

// end waits for the server to close the stream and gives the events that were still on it.
func (conn *connection) end(t *testing.T) []event {
	t.Helper()
	timer := time.NewTimer(eventTimeout)
	defer timer.Stop()
	var rest []event
	for {
		select {
		case e := <-conn.events:
			rest = append(rest, e)
		case <-conn.ended:
			for len(conn.events) > 0 {
				rest = append(rest, <-conn.events)
			}
			return rest
		case <-timer.C:
			t.Fatalf("the stream was not closed within %s", eventTimeout)
		}
	}
}
