package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/hub/contract/portal"
	"example.com/hub/test/shape/shapetest"
)

// TestListedOriginsCallWithTokensAlone has a page of another origin that holds a user's token.
func TestListedOriginsCallWithTokensAlone(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>portal</title>"))
	}))
	t.Cleanup(site.Close)
	people := portal.NewProvider(t)
	address := shapetest.FreeAddress(t)
	startHub(t, address, append(people.Settings(), "HUB_ALLOWED_ORIGINS="+site.URL, "HUB_SECRETS_FILE="+secrets(t))...)
	h := reach(t, "http://"+address, "http://"+address)
	message := h.push(t, "amy")

	call := func(b tab, options, path string) string {
		return eval[string](t, b, `fetch(%q, {%s}).then((answer) => String(answer.status), (failure) => failure.name)`, h.url+path, options)
	}
	token := fmt.Sprintf("headers: {Authorization: 'Bearer %s', 'Content-Type': 'application/json'}", people.Token(t, "amy"))
	for host, listed := range map[string]bool{"127.0.0.1": true, "a.localhost": false} {
		page := newPerson(t)
		page.open(t, strings.Replace(site.URL, "127.0.0.1", host, 1))
		want := func(answer string) string {
			if listed {
				return answer
			}
			return "TypeError"
		}
		for _, tt := range []struct{ options, path, want string }{
			{token, "/message-hub/unread-count", want("200")},
			{token, "/todo-hub/todos", want("200")},
			{token, "/message-hub/inbox?username=ben", want("403")},
			{"method: 'POST', body: '{}', " + token, "/message-hub/messages/" + message + "/read", want("200")},
			{"", "/message-hub/unread-count", want("401")},
			{"credentials: 'include', " + token, "/message-hub/unread-count", "TypeError"},
			{"method: 'POST', body: '{}', " + token, "/message-hub/messages", "TypeError"},
			{"method: 'DELETE', " + token, "/message-hub/inbox", "TypeError"},
		} {
			if got := call(page, tt.options, tt.path); got != tt.want {
				t.Errorf("%s: %s with %.30s: %s, want %s", host, tt.path, tt.options, got, tt.want)
			}
		}
	}
	if n := h.unread(t, "amy"); n != "0" {
		t.Errorf("amy has %s unread", n)
	}
}
