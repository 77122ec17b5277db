package login_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/auth/keys"
	"example.com/hub/services/edge/internal/login"
)

func TestAnAddressMayTryTwentyTimesAMinute(t *testing.T) {
	from := "192.0.2.1"
	b := newBench(t, func(d *login.Deps) { d.RemoteAddr = func(*http.Request) string { return from } })
	start := time.Now()
	b.now = func() time.Time { return start }
	b.stopAt("/authorize")
	for _, path := range []string{"/portal/login", "/portal/callback"} {
		for i := range 21 {
			a := b.get(t, path)
			if limited := a.StatusCode == http.StatusTooManyRequests; limited != (i == 20) {
				t.Errorf("%s, call %d: %d", path, i, a.StatusCode)
			}
			if i == 20 && a.Header.Get("Retry-After") != "3" {
				t.Errorf("%s: Retry-After %q", path, a.Header.Get("Retry-After"))
			}
		}
	}
	b.now = func() time.Time { return start.Add(3 * time.Second) }
	if a := b.get(t, "/portal/login"); a.StatusCode != http.StatusSeeOther {
		t.Errorf("three seconds later: %d", a.StatusCode)
	}
	from = "192.0.2.2"
	if a := b.get(t, "/portal/login"); a.StatusCode != http.StatusSeeOther {
		t.Errorf("another address: %d", a.StatusCode)
	}
}

// network is a provider whose answers the test holds back.
type network struct {
	issuer string
	hold   chan struct{}

	mu    sync.Mutex
	asked int
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost {
		n.mu.Lock()
		n.asked++
		n.mu.Unlock()
		select {
		case <-n.hold:
			return nil, errCut
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Request: r,
		Body: io.NopCloser(strings.NewReader(`{"issuer":"` + n.issuer + `","authorization_endpoint":"` + n.issuer + `/a","token_endpoint":"` + n.issuer + `/t"}`)),
	}, nil
}

// pendingLogin makes a request for the callback that fits to a login of its own.
func pendingLogin(t *testing.T, b *bench) *http.Request {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "http://hub.test/portal/login", nil)
	b.ServeHTTP(w, r)
	state := must(url.Parse(w.Header().Get("Location"))).Query().Get("state")
	r = httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://hub.test/portal/callback?code=c&state="+state, nil)
	r.AddCookie(w.Result().Cookies()[0])
	return r
}

func TestASlowProviderIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{issuer: "https://id.test", hold: make(chan struct{})}
		b := offline(t, n)
		r := pendingLogin(t, b)
		start := time.Now()
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		if took := time.Since(start); w.Code != http.StatusServiceUnavailable || took != 5*time.Second {
			t.Errorf("%d after %v", w.Code, took)
		}
	})
}

func TestSixtyFourCodesAreExchangedAtOneTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{issuer: "https://id.test", hold: make(chan struct{})}
		b := offline(t, n)
		codes := make(chan int, 65)
		for range 65 {
			r := pendingLogin(t, b)
			go func() {
				w := httptest.NewRecorder()
				b.ServeHTTP(w, r)
				codes <- w.Code
			}()
		}
		synctest.Wait()
		if n.asked != 64 || len(codes) != 1 || <-codes != http.StatusServiceUnavailable {
			t.Errorf("%d codes are exchanged, %d are refused", n.asked, len(codes))
		}
		close(n.hold)
		for range 64 {
			<-codes
		}
	})
}

// offline is a bench without sockets, for time that stands still.
func offline(t *testing.T, n *network) *bench {
	t.Helper()
	var next atomic.Int64
	b := &bench{}
	sealer := fakeSealer{}
	l, err := login.New(login.Deps{
		Config: login.Config{ClientID: clientID, Scopes: []string{"openid"}}, PublicURL: "http://hub.test", Issuer: n.issuer,
		Keys: keys.Local(func() []jose.JSONWebKey { return nil }), Transport: n, Sealer: sealer,
		People: &people{subjects: map[string]string{}}, Sessions: &sessions{},
		RemoteAddr: func(*http.Request) string { return strconv.FormatInt(next.Add(1), 10) }, // never twice
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Login = l
	return b
}
