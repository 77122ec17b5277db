package stream_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/auth"
	"example.com/hub/services/edge/internal/stream"
	"example.com/hub/services/edge/internal/topic"
)

// pipeAs opens the user's stream with a token that expires after d.
func pipeAs(t *testing.T, b *stream.Broker, user string, d time.Duration) net.Conn {
	t.Helper()
	near, far := net.Pipe()
	ctx := auth.With(t.Context(), auth.Principal{Client: "portal", Expires: time.Now().Add(d)})
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/message-hub/stream", nil)
	if err := b.Serve(&takeover{conn: far}, r, user, topic.Inbox); err != nil {
		t.Fatalf("serve: %v", err)
	}
	return near
}

func TestStreamsOutliveTheirTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := newBroker(t, stream.Deps{})
		c := record(pipeAs(t, b, "alice", time.Minute))
		pass(time.Hour)
		c.wantOpen(t, true)
		_ = c.Close()
	})
}

func TestStreamsEndWithTheirTokensIfAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, feed := newBroker(t, stream.Deps{CloseAtExpiry: true})
		c := record(pipeAs(t, b, "alice", time.Minute))
		other := record(pipeAs(t, b, "bob", time.Hour))
		expired := record(pipeAs(t, b, "carol", -time.Second))
		left := record(pipeAs(t, b, "dave", time.Minute))
		noToken := record(pipe(t, b, "erin"))
		_ = left.Close()
		pass(time.Minute - 1)
		c.wantOpen(t, true)
		feed.publish(message("alice", "last"))
		pass(1)
		if got := c.heard(); !strings.Contains(got, "id: last\n") {
			t.Errorf("heard %q, want the event before the end", got)
		}
		if got := c.retries(); len(got) != 1 || got[0] < time.Second || got[0] >= 5*time.Second {
			t.Errorf("the client was told to retry in %v, want 1 to 5 s", got)
		}
		expired.wantOpen(t, false)
		other.wantOpen(t, true)
		noToken.wantOpen(t, true)
		if s := b.Stats(); s.Open != 2 || s.Expired != 2 {
			t.Errorf("stats = %+v, want 2 open and 2 expired", s)
		}
		_, _ = other.Close(), noToken.Close()
	})
}
