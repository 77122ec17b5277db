package rest_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/edge/internal/rest"
)

const listed = "https://portal.test"

func allow(origins ...string) func(*rest.Deps) {
	return func(d *rest.Deps) { d.AllowedOrigins = origins }
}

// fields are those of the answer that begin so, with their values.
func fields(w *httptest.ResponseRecorder, prefix string) (all []string) {
	for name, values := range w.Header() {
		if strings.HasPrefix(name, prefix) {
			all = append(all, name+": "+strings.Join(values, " | "))
		}
	}
	slices.Sort(all)
	return all
}

func TestAPreflightOfAListedOriginIsAnswered(t *testing.T) {
	f := newFront(t, withUsers(&sessions{}), allow("https://other.test", listed))
	w := f.send(t, http.MethodOptions, count, "", "Authorization", "", "Origin", listed,
		"Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "authorization,content-type,if-none-match,last-event-id")
	want := []string{
		"Access-Control-Allow-Headers: authorization,content-type,if-none-match,last-event-id",
		"Access-Control-Allow-Methods: GET",
		"Access-Control-Allow-Origin: " + listed,
		"Access-Control-Max-Age: 600",
	}
	if got := fields(w, "Access-Control-"); w.Code != http.StatusNoContent || !slices.Equal(got, want) {
		t.Errorf("%d %q, want %q", w.Code, got, want)
	}
	if got := w.Header().Get("Vary"); !strings.Contains(got, "Origin") {
		t.Errorf("Vary: %q", got)
	}
	for header, value := range map[string]string{"Access-Control-Request-Method": "DELETE", "Access-Control-Request-Headers": "x-forwarded-for"} {
		w := f.send(t, http.MethodOptions, count, "", "Origin", listed, "Access-Control-Request-Method", "GET", header, value)
		if got := fields(w, "Access-Control-"); len(got) != 0 {
			t.Errorf("%s: %s: %q", header, value, got)
		}
	}
}

func TestOtherPreflightsAreOfNoMethod(t *testing.T) {
	for name, tt := range map[string]struct {
		allowed      []string
		path, origin string
		vary         bool
	}{
		"off":               {nil, count, listed, false},
		"no origin":         {[]string{listed}, count, "", true},
		"another one":       {[]string{listed}, count, "https://evil.test", true},
		"another case":      {[]string{listed}, count, "https://Portal.test", true},
		"another port":      {[]string{listed}, count, "https://portal.test:8443", true},
		"another scheme":    {[]string{listed}, count, "http://portal.test", true},
		"a longer one":      {[]string{listed}, count, "https://portal.test.evil.test", true},
		"null":              {[]string{listed}, count, "null", true},
		"nothing for users": {[]string{listed}, "/openapi.yaml", listed, false},
		"for clients":       {[]string{listed}, "/todo-hub/todos/x/clear", listed, false},
	} {
		f := newFront(t, withUsers(&sessions{}), allow(tt.allowed...))
		w := f.send(t, http.MethodOptions, tt.path, "", "Authorization", "", "Origin", tt.origin, "Access-Control-Request-Method", "GET")
		wantFailure(t, w, http.StatusMethodNotAllowed)
		if got := fields(w, "Access-Control-"); len(got) != 0 {
			t.Errorf("%s: %q", name, got)
		}
		if got := slices.Contains(w.Header()["Vary"], "Origin"); got != tt.vary {
			t.Errorf("%s: Vary %q", name, w.Header()["Vary"])
		}
		w = f.send(t, http.MethodOptions, count, "", "Origin", listed)
		wantFailure(t, w, http.StatusMethodNotAllowed) // no preflight
	}
}

func TestAListedOriginMayReadTheAnswer(t *testing.T) {
	f := newFront(t, withUsers(&sessions{}), allow(listed))
	f.hub.reply = &messagev1.CountUnreadResponse{}
	for _, tt := range []struct {
		target, token string
		status        int
	}{
		{count, "Bearer good", 200},
		{count, "Bearer bad", 401},
		{count, "", 401},
		{"/message-hub/unread-count", "Bearer good", 200},
		{"/message-hub/stream?user=amy", "Bearer bad", 401},
	} {
		w := f.send(t, http.MethodGet, tt.target, "", "Authorization", tt.token, "Origin", listed)
		want := []string{
			"Access-Control-Allow-Origin: " + listed,
			"Access-Control-Expose-Headers: Etag, Retry-After, Ratelimit, Ratelimit-Policy, Hub-Created, Hub-Duplicates, Hub-Switched, Hub-Stale",
		}
		if got := fields(w, "Access-Control-"); w.Code != tt.status || !slices.Equal(got, want) || !slices.Contains(w.Header()["Vary"], "Origin") {
			t.Errorf("%+v: %d %q, Vary %q", tt, w.Code, got, w.Header()["Vary"])
		}
		w = f.send(t, http.MethodGet, tt.target, "", "Authorization", tt.token, "Origin", "https://evil.test")
		if got := fields(w, "Access-Control-"); w.Code != tt.status || len(got) != 0 || !slices.Contains(w.Header()["Vary"], "Origin") {
			t.Errorf("%+v: %d %q, Vary %q", tt, w.Code, got, w.Header()["Vary"])
		}
	}
	for _, path := range []string{"/openapi.yaml", "/nowhere"} {
		if w := f.send(t, http.MethodGet, path, "", "Origin", listed); len(fields(w, "Access-Control-")) != 0 || len(fields(w, "Vary")) != 0 {
			t.Errorf("%s: %v", path, w.Header())
		}
	}
}
