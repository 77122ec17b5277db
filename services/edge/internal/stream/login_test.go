package stream_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/auth"
	"example.com/hub/services/edge/internal/stream"
	"example.com/hub/services/edge/internal/topic"
)

// sessions are those that a test says live.
type sessions struct {
	mu    sync.Mutex
	gone  map[string]bool
	ended map[string]bool
	asked []time.Time
	watch func(user, session string)
}

func (s *sessions) Lives(_ context.Context, session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, time.Now())
	return !s.gone[session]
}

func (s *sessions) Ended(session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended[session]
}

func (s *sessions) Watch(ended func(user, session string)) { s.watch = ended }

// times are when sessions were asked for.
func (s *sessions) times() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Time(nil), s.asked...)
}

// pipeIn opens a user's stream with a cookie of her session, which ends after d.
func pipeIn(t *testing.T, b *stream.Broker, user, session string, d time.Duration) net.Conn {
	t.Helper()
	near, far := net.Pipe()
	ctx := auth.With(t.Context(), auth.Principal{User: user, Session: session, Expires: time.Now().Add(d)})
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/message-hub/stream", nil)
	if err := b.Serve(&takeover{conn: far}, r, user, topic.Inbox); err != nil {
		t.Fatalf("serve: %v", err)
	}
	return near
}

func TestALogoutEndsTheStreamOfItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := &sessions{}
		b, _ := newBroker(t, stream.Deps{Sessions: known})
		amy := record(pipeIn(t, b, "amy", "1", time.Hour))
		ben := record(pipeIn(t, b, "ben", "2", time.Hour))
		client := record(pipe(t, b, "carla"))
		for _, of := range [][2]string{{"amy", "2"}, {"amy", ""}, {"ben", "1"}, {"carla", "1"}, {"carla", ""}, {"nobody", "1"}} {
			known.watch(of[0], of[1])
		}
		synctest.Wait()
		for _, c := range []*recorder{amy, ben, client} {
			c.wantOpen(t, true)
		}
		known.watch("amy", "1")
		known.watch("amy", "1")
		synctest.Wait()
		amy.wantOpen(t, false)
		if got := amy.retries(); len(got) != 1 || got[0] < time.Second || got[0] >= 5*time.Second {
			t.Errorf("the client was told to retry in %v, want 1 to 5 s", got)
		}
		ben.wantOpen(t, true)
		if s := b.Stats(); s.Open != 2 || s.LoggedOut != 1 {
			t.Errorf("stats = %+v", s)
		}
		_, _ = ben.Close(), client.Close()
	})
}

// TestASessionThatEndsWhileItsStreamOpens has the logout between the check of the cookie and the stream.
func TestASessionThatEndsWhileItsStreamOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := newBroker(t, stream.Deps{Sessions: &sessions{ended: map[string]bool{"1": true}}})
		c := record(pipeIn(t, b, "amy", "1", time.Hour))
		synctest.Wait()
		c.wantOpen(t, false)
	})
}

func TestSessionsOfStreamsAreAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := &sessions{gone: map[string]bool{"2": true}}
		b, _ := newBroker(t, stream.Deps{Sessions: known})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- b.Run(ctx) }()
		start := time.Now()
		amy := record(pipeIn(t, b, "amy", "1", 24*time.Hour))
		ben := record(pipeIn(t, b, "ben", "2", 24*time.Hour))
		client := record(pipe(t, b, "carla"))
		pass(4 * time.Minute)
		if n := len(known.times()); n != 0 {
			t.Errorf("asked %d times before", n)
		}
		pass(time.Minute)
		ben.wantOpen(t, false)
		amy.wantOpen(t, true)
		client.wantOpen(t, true)
		pass(55 * time.Minute)
		times := known.times()
		if n := len(times); n < 13 || n > 16 {
			t.Errorf("asked %d times in an hour", n)
		}
		if first := times[0].Sub(start); first < 4*time.Minute || first > 5*time.Minute {
			t.Errorf("asked first after %s", first)
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		_, _ = amy.Close(), client.Close()
	})
}

func TestTheStreamOfAUserEndsWithHerSessionOrToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := newBroker(t, stream.Deps{Sessions: &sessions{}})
		cookie := record(pipeIn(t, b, "amy", "1", time.Minute))
		token := record(pipeIn(t, b, "ben", "", time.Minute))
		pass(time.Minute - 1)
		cookie.wantOpen(t, true)
		token.wantOpen(t, true)
		pass(1)
		cookie.wantOpen(t, false)
		token.wantOpen(t, false)
	})
}
