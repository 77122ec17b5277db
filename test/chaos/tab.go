package chaos

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"example.com/hub/pkg/lifecycle"
)

// headTimeout is how long a tab waits for the head of an answer.
const headTimeout = 30 * time.Second

// tab is a user's portal in a browser: an EventSource (WHATWG HTML, section 9.2) that comes back after
// every end of its stream, as late as "retry:" says, with the id of its last event.
type tab struct {
	user   string
	portal *portal

	mu     sync.Mutex
	retry  time.Duration
	lastID string
	opens  []opening
	events []event
	counts map[string]int      // of different events, by kind
	known  map[string]struct{} // kind and id of the events
	ended  error               // the browser gave up for good
}

// opening is one connection of a tab.
type opening struct {
	// at is when the answer came, or when the attempt failed.
	at time.Time
	// failed is nil when the stream was opened.
	failed error
	// resumed tells that a last id was sent.
	resumed bool
	// closed is when the stream ended; zero while it is open.
	closed time.Time
}

// event is one event of a stream that is no heartbeat.
type event struct {
	kind, id string
	at       time.Time
	// resumes tells that it is the first one of a connection that sent a last id.
	resumes bool
}

var errGaveUp = errors.New("the browser gives up")

func newTab(user string, p *portal) *tab {
	return &tab{user: user, portal: p, counts: map[string]int{}, known: map[string]struct{}{}}
}

// run holds the stream until ctx ends, or until the browser gives up.
func (t *tab) run(ctx context.Context) {
	t.mu.Lock()
	t.retry = 3 * time.Second // what browsers take until they are told
	t.mu.Unlock()
	for {
		err := t.connect(ctx)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, errGaveUp) {
			t.mu.Lock()
			t.ended = err
			t.mu.Unlock()
			return
		}
		t.mu.Lock()
		wait := t.retry
		t.mu.Unlock()
		if !lifecycle.Sleep(ctx, wait) {
			return
		}
	}
}

// connect opens the stream and reads it to its end.
func (t *tab) connect(ctx context.Context) error {
	t.mu.Lock()
	lastID := t.lastID
	t.mu.Unlock()
	conn, body, err := t.portal.stream(ctx, t.user, lastID)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	t.mu.Lock()
	t.opens = append(t.opens, opening{at: time.Now(), failed: err, resumed: lastID != ""})
	at := len(t.opens) - 1
	t.mu.Unlock()
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	err = t.listen(body, lastID != "")
	t.mu.Lock()
	defer t.mu.Unlock()
	t.opens[at].closed = time.Now()
	return err
}

// stream asks for a user's stream. With errGaveUp a browser would not ask again.
func (p *portal) stream(ctx context.Context, user, lastID string) (net.Conn, *bufio.Reader, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", p.address)
	if err != nil {
		return nil, nil, err
	}
	body, err := p.streamOver(ctx, conn, user, lastID)
	if err != nil {
		_ = conn.Close()
		return nil, nil, err
	}
	return conn, body, nil
}

// streamOver asks for a user's stream on a connection.
func (p *portal) streamOver(ctx context.Context, conn net.Conn, user, lastID string) (*bufio.Reader, error) {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	target := "http://" + p.address + "/message-hub/stream?user=" + url.QueryEscape(user)
	if p.topics != "" {
		target += "&topics=" + p.topics
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	req.Header.Set("Accept", "text/event-stream")
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	_ = conn.SetDeadline(time.Now().Add(headTimeout))
	if err := req.Write(conn); err != nil {
		return nil, err
	}
	// Streams are many, and their events short.
	resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 1024), req)
	if err != nil {
		return nil, err
	}
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || kind != "text/event-stream" {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("%w: %s, %s", errGaveUp, resp.Status, kind)
	}
	_ = conn.SetDeadline(time.Time{})
	return bufio.NewReaderSize(resp.Body, 1024), nil
}

// listen reads events until the stream ends.
func (t *tab) listen(body *bufio.Reader, resumed bool) error {
	reader := eventReader{lines: body}
	for {
		m, err := reader.next()
		now := time.Now()
		t.mu.Lock()
		if m.retry > 0 {
			t.retry = m.retry
		}
		if err == nil && m.hasID {
			t.lastID = m.id
		}
		if err == nil && m.kind != "" && m.kind != "heartbeat" {
			t.note(event{kind: m.kind, id: m.id, at: now, resumes: resumed})
			resumed = false
		}
		t.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// seen gives the events up to now.
func (t *tab) seen() []event {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.events)
}

// openings gives the connections up to now, and why the browser gave up, if it did.
func (t *tab) openings() ([]opening, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.opens), t.ended
}

// isOpen tells whether the tab has a stream.
func (t *tab) isOpen() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.opens)
	return n > 0 && t.opens[n-1].failed == nil && t.opens[n-1].closed.IsZero()
}

// note keeps an event. It is called with the lock.
func (t *tab) note(e event) {
	t.events = append(t.events, e)
	name := e.kind + " " + e.id
	if _, repeated := t.known[name]; !repeated {
		t.known[name] = struct{}{}
		t.counts[e.kind]++
	}
}

// count gives the number of different events of a kind.
func (t *tab) count(kind string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts[kind]
}
