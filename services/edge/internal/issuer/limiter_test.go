package issuer_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/edge/internal/oauth/oauthtest"
)

func TestFailuresAreLimited(t *testing.T) {
	fail := func(t *testing.T, b *bench, id, address string, times int) {
		t.Helper()
		for range times {
			b.wantStatus(t, from(oauthtest.Request(oauthtest.Form("client_id", id, "client_secret", "x")), address), http.StatusUnauthorized)
		}
	}
	t.Run("of a client from an address", func(t *testing.T) {
		b := newBench(t)
		fail(t, b, "erp", "192.0.2.1:1000", 10)
		w, got := b.ask(t, from(oauthtest.Request(oauthtest.Form()), "192.0.2.1:2000"))
		if w.Code != http.StatusTooManyRequests || got.Error != "slow_down" || w.Header().Get("Retry-After") != "10" {
			t.Errorf("answer is %d %s with %v", w.Code, w.Body, w.Header())
		}
		b.wantStatus(t, from(oauthtest.Request(oauthtest.Form()), "192.0.2.2:1000"), http.StatusOK)
		limited := oauthtest.Form("client_id", "limited", "client_secret", "new-key", "scope", "")
		b.wantStatus(t, from(oauthtest.Request(limited), "192.0.2.1:1000"), http.StatusOK)

		b.advance(9 * time.Second)
		b.wantStatus(t, from(oauthtest.Request(oauthtest.Form()), "192.0.2.1:2000"), http.StatusTooManyRequests)
		b.advance(time.Second)
		b.wantStatus(t, from(oauthtest.Request(oauthtest.Form()), "192.0.2.1:2000"), http.StatusOK)
		fail(t, b, "erp", "192.0.2.1:1000", 1)
		b.wantStatus(t, from(oauthtest.Request(oauthtest.Form()), "192.0.2.1:2000"), http.StatusTooManyRequests)
	})
	t.Run("and successes are not", func(t *testing.T) {
		b := newBench(t)
		for range 100 {
			b.wantStatus(t, from(oauthtest.Request(oauthtest.Form()), "192.0.2.1:1000"), http.StatusOK)
		}
	})
	t.Run("of an unknown client alike", func(t *testing.T) {
		b := newBench(t)
		fail(t, b, "hr", "192.0.2.1:1000", 10)
		b.wantStatus(t, from(oauthtest.Request(oauthtest.Form("client_id", "hr")), "192.0.2.1:1000"), http.StatusTooManyRequests)
	})
	t.Run("of ids that cannot be, together", func(t *testing.T) {
		b := newBench(t)
		for _, c := range "0123456789" {
			fail(t, b, strings.Repeat(string(c), 200), "192.0.2.1:1000", 1)
		}
		b.wantStatus(t, from(oauthtest.Request(oauthtest.Form("client_id", strings.Repeat("x", 200))), "192.0.2.1:1000"), http.StatusTooManyRequests)
	})
	t.Run("of an IPv6 network", func(t *testing.T) {
		b := newBench(t)
		fail(t, b, "erp", "[2001:db8::1]:1000", 5)
		fail(t, b, "erp", "[2001:db8::ffff:2]:1000", 5)
		b.wantStatus(t, from(oauthtest.Request(oauthtest.Form()), "[2001:db8::3]:1000"), http.StatusTooManyRequests)
		b.wantStatus(t, from(oauthtest.Request(oauthtest.Form()), "[2001:db8:0:1::3]:1000"), http.StatusOK)
	})
	t.Run("by the address that the edge tells", func(t *testing.T) {
		b := prepare(t)
		b.deps.RemoteAddr = func(r *http.Request) string { return r.Header.Get("X-Real-Ip") }
		b.open(t)
		forwarded := func(body, address string) *http.Request {
			r := oauthtest.Request(body)
			r.Header.Set("X-Real-Ip", address)
			return r
		}
		for range 10 {
			b.wantStatus(t, forwarded(oauthtest.Form("client_secret", "x"), "192.0.2.1"), http.StatusUnauthorized)
		}
		b.wantStatus(t, forwarded(oauthtest.Form(), "192.0.2.1"), http.StatusTooManyRequests)
		b.wantStatus(t, forwarded(oauthtest.Form(), "192.0.2.2"), http.StatusOK)
	})
}

// TestInventedIDsDoNotUndoTheLimit pushes out of the limit whatever can be pushed out. Neither may a right
// secret pass then, nor may the answers tell a client from an invented id.
func TestInventedIDsDoNotUndoTheLimit(t *testing.T) {
	b := newBench(t)
	const address = "192.0.2.1:1000"
	fail := func(id string) (status int, header http.Header, got oauthtest.Answer) {
		w, got := b.ask(t, from(oauthtest.Request(oauthtest.Form("client_id", id, "client_secret", "x")), address))
		return w.Code, w.Header(), got
	}
	same := func(when string) {
		t.Helper()
		code, header, got := fail("erp")
		unknown, unknownHeader, unknownGot := fail("hr")
		if code != unknown || !cmp.Equal(header, unknownHeader) || got != unknownGot {
			t.Errorf("%s: a client gets %d %v %v, an unknown id %d %v %v", when, code, header, got, unknown, unknownHeader, unknownGot)
		}
	}
	for range 11 {
		same("at first")
	}
	for i := range 11_000 {
		fail("invented-" + strconv.Itoa(i))
	}
	w, _ := b.ask(t, from(oauthtest.Request(oauthtest.Form()), address))
	if w.Code == http.StatusOK {
		t.Error("a right secret passes after ten wrong ones")
	}
	same("after invented ids")
	b.wantStatus(t, from(oauthtest.Request(oauthtest.Form()), "192.0.2.2:1000"), http.StatusOK)

	b.advance(10 * time.Second)
	b.wantStatus(t, from(oauthtest.Request(oauthtest.Form()), address), http.StatusOK)
}
