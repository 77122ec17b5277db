package rest_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"example.com/hub/pkg/ratelimit"
	frontpkg "example.com/hub/services/edge/internal/front"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/topic"
)

func TestSocketParameters(t *testing.T) {
	f := newFront(t)
	for target, msg := range map[string]string{
		"":                           "user must not be empty",
		"?user=":                     "user must not be empty",
		"?user=amy&user=amy":         "user must not be repeated",
		"?user=amy&topics=calendar":  "topics must be inbox, todo or both, separated by a comma",
		"?user=amy&topics=":          "topics must be inbox, todo or both, separated by a comma",
		"?user=amy&access_token=a;b": "the query string is not valid",
	} {
		w := f.send(t, http.MethodGet, "/message-hub/ws"+target, "")
		if got := wantFailure(t, w, http.StatusBadRequest); got != msg {
			t.Errorf("%s: %q, want %q", target, got, msg)
		}
	}
	w := f.send(t, http.MethodGet, "/message-hub/ws?user=amy&topics=inbox,todo", "")
	if w.Code != http.StatusSwitchingProtocols || f.sockets.calls != 1 || f.sockets.user != "amy" || f.sockets.topics != topic.Inbox|topic.Todos {
		t.Errorf("status %d, %+v", w.Code, f.sockets)
	}
}

func TestSocketThatIsRefused(t *testing.T) {
	f := newFront(t)
	f.sockets.failure = &frontpkg.Failure{Status: http.StatusUpgradeRequired, Msg: "this path speaks WebSocket"}
	w := f.send(t, http.MethodGet, "/message-hub/ws?user=amy", "")
	if got := wantFailure(t, w, http.StatusUpgradeRequired); got != "this path speaks WebSocket" {
		t.Errorf("the message is %q", got)
	}
}

// TestOpeningASocketIsARead allows two sockets.
func TestOpeningASocketIsARead(t *testing.T) {
	now := time.Unix(1_900_000_000, 0)
	limiter := ratelimit.New(ratelimit.Config{Reads: 1, Burst: 2 * time.Second}, ratelimit.Deps{
		Clock: func() time.Time { return now },
	})
	f := newFront(t, func(d *rest.Deps) { d.Limiter = limiter })
	const target = "/message-hub/ws?user=amy"
	for _, state := range []string{`"reads";r=1;t=1`, `"reads";r=0;t=2`} {
		wantHeader(t, f.send(t, http.MethodGet, target, ""), "RateLimit", state)
	}
	w := f.send(t, http.MethodGet, target, "")
	wantFailure(t, w, http.StatusTooManyRequests)
	if after, err := strconv.Atoi(w.Header().Get("Retry-After")); err != nil || after < 3 || after > 6 {
		t.Errorf("Retry-After is %d, %v, want 3 to 6: many may have ended at once", after, err)
	}
	if f.sockets.calls != 2 {
		t.Errorf("%d sockets were opened, want 2", f.sockets.calls)
	}
}
