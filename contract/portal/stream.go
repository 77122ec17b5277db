package portal

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

// patience is how long a case waits for an event.
const patience = 15 * time.Second

// live is an open stream of a person.
type live struct {
	events chan string // the names of what comes, but for heartbeats
	ended  chan struct{}
}

// listen opens the stream of a visitor, or of whom a token in the header stands for.
func (v *visitor) listen(t *testing.T, header http.Header) *live {
	t.Helper()
	return v.listenTo(t, header, "")
}

// listenTo is listen with a query.
func (v *visitor) listenTo(t *testing.T, header http.Header, query string) *live {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.st.base+"/message-hub/stream"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = with(header, "Accept", "text/event-stream")
	for name, value := range v.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	resp, err := v.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("no stream: %s", resp.Status)
	}
	l := &live{events: make(chan string, 100), ended: make(chan struct{})}
	lines := bufio.NewScanner(resp.Body)
	lines.Scan() // the first line is there when the stream is taken up
	go func() {
		defer close(l.ended)
		for lines.Scan() {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok && name != "heartbeat" {
				l.events <- name
			}
		}
	}()
	return l
}

// wants waits for an event. Others may come before it: events follow the answers of calls at their own pace.
func (l *live) wants(t *testing.T, name string) {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case got := <-l.events:
			if got == name {
				return
			}
		case <-l.ended:
			t.Errorf("the stream has ended, want %s", name)
			return
		case <-late:
			t.Errorf("%s does not come", name)
			return
		}
	}
}

// wantsEnd waits for the end of the stream.
func (l *live) wantsEnd(t *testing.T) {
	t.Helper()
	select {
	case <-l.ended:
	case <-time.After(patience):
		t.Error("the stream does not end")
	}
}

// lives demands that the stream goes on.
func (l *live) lives(t *testing.T, st *stage, user string) {
	t.Helper()
	for len(l.events) > 0 {
		<-l.events
	}
	st.push(t, user)
	l.wants(t, "message")
}
