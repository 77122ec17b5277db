package forwarder_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/services/edge/internal/forwarder"
	"example.com/hub/services/edge/internal/oauth/oauthtest"
)

// metadata is a provider on a network of its own, whose discovery document a test changes.
type metadata struct {
	mu       sync.Mutex
	endpoint string
	delay    time.Duration
	err      error
	asked    int
	tokens   []string // hosts that were asked for tokens
}

func (m *metadata) RoundTrip(r *http.Request) (*http.Response, error) {
	m.mu.Lock()
	endpoint, delay, err := m.endpoint, m.delay, m.err
	discovery := r.Method == http.MethodGet
	if discovery {
		m.asked++
	} else {
		m.tokens = append(m.tokens, r.URL.Host)
	}
	m.mu.Unlock()
	body := goodAnswer
	if discovery {
		select {
		case <-time.After(delay):
		case <-r.Context().Done():
		}
		if err != nil {
			return nil, err
		}
		body = `{"issuer":"https://id.test","token_endpoint":"` + endpoint + `"}`
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

func (m *metadata) set(change func(*metadata)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(m)
}

// wantAsked checks how often the document was asked for since the last call.
func (m *metadata) wantAsked(t *testing.T, want int) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked != want {
		t.Errorf("discovery was asked %d times, want %d", m.asked, want)
	}
	m.asked = 0
}

// inBubble runs a test with a forwarder, on a clock that only the test moves.
func inBubble(t *testing.T, test func(t *testing.T, m *metadata, f *forwarding)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := &metadata{endpoint: "https://one.test/token"}
		test(t, m, forward(t, forwarder.Config{}, forwarder.Deps{Issuer: "https://id.test", Transport: m}))
	})
}

// pass lets time go by on the clock of a bubble, which takes none.
func pass(d time.Duration) { <-time.After(d) }

func TestTokenEndpointIsFoundWhenItIsNeeded(t *testing.T) {
	inBubble(t, func(t *testing.T, m *metadata, f *forwarding) {
		pass(time.Hour)
		m.wantAsked(t, 0)
		m.set(func(m *metadata) { m.delay = time.Second })
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { f.wantAnswer(t, oauthtest.Request(oauthtest.Form()), http.StatusOK, goodAnswer) })
		}
		wg.Wait()
		m.wantAsked(t, 1)
		pass(5*time.Minute - time.Second)
		f.wantAnswer(t, oauthtest.Request(oauthtest.Form()), http.StatusOK, goodAnswer)
		m.wantAsked(t, 0)
	})
}

func TestTokenEndpointMayMove(t *testing.T) {
	inBubble(t, func(t *testing.T, m *metadata, f *forwarding) {
		f.wantAnswer(t, oauthtest.Request(oauthtest.Form()), http.StatusOK, goodAnswer)
		m.set(func(m *metadata) { m.endpoint, m.delay, m.tokens = "https://two.test/token", time.Second, nil })
		pass(5 * time.Minute)

		start := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { f.wantAnswer(t, oauthtest.Request(oauthtest.Form()), http.StatusOK, goodAnswer) })
		synctest.Wait() // until the first request looks for the endpoint
		f.wantAnswer(t, oauthtest.Request(oauthtest.Form()), http.StatusOK, goodAnswer)
		if took := time.Since(start); took != 0 {
			t.Errorf("a request waited %v for the discovery of another one", took)
		}
		wg.Wait()
		if got := strings.Join(m.tokens, " "); got != "one.test two.test" {
			t.Errorf("tokens came from %s", got)
		}
		m.wantAsked(t, 2)
	})
}

func TestLastTokenEndpointStaysInAnOutageOfDiscovery(t *testing.T) {
	inBubble(t, func(t *testing.T, m *metadata, f *forwarding) {
		f.wantAnswer(t, oauthtest.Request(oauthtest.Form()), http.StatusOK, goodAnswer)
		m.set(func(m *metadata) { m.err, m.asked = errors.New("no route"), 0 })
		pass(5 * time.Minute)
		for range 10 * 60 {
			f.wantAnswer(t, oauthtest.Request(oauthtest.Form()), http.StatusOK, goodAnswer)
			pass(time.Second)
		}
		m.wantAsked(t, 1+5+18) // at once, after 1, 2, 4, 8 and 16 s, then every 30 s
	})
}

func TestProviderThatIsAwayAtFirstIsFoundLater(t *testing.T) {
	inBubble(t, func(t *testing.T, m *metadata, f *forwarding) {
		m.set(func(m *metadata) { m.err = errors.New("no route") })
		for range 100 {
			f.wantAway(t, oauthtest.Request(oauthtest.Form()))
		}
		m.wantAsked(t, 1)
		m.set(func(m *metadata) { m.err = nil })
		pass(time.Second)
		f.wantAnswer(t, oauthtest.Request(oauthtest.Form()), http.StatusOK, goodAnswer)
		if !strings.Contains(f.log.String(), "no route") {
			t.Errorf("the log does not say why: %s", f.log)
		}
	})
}

func TestCallerThatGoesAwayDoesNotEndTheDiscovery(t *testing.T) {
	inBubble(t, func(t *testing.T, m *metadata, f *forwarding) {
		m.set(func(m *metadata) { m.delay = time.Second })
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { f.ServeToken(httptest.NewRecorder(), oauthtest.Request(oauthtest.Form()).WithContext(ctx)) })
		synctest.Wait()
		wg.Go(func() { f.wantAnswer(t, oauthtest.Request(oauthtest.Form()), http.StatusOK, goodAnswer) })
		synctest.Wait()
		cancel()
		wg.Wait()
		m.wantAsked(t, 1)
		if got := f.log.String(); strings.Contains(got, "WARN") {
			t.Errorf("a caller that went away is reported: %s", got)
		}
	})
}
