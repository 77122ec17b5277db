package session_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/fault"
)

type noBus struct{ bus.Publisher }

func (noBus) Subscribe(bus.Handler) (cancel func()) { return func() {} }

// TestWhichRequestsACookieCountsIn has every combination of what browsers tell of a request.
func TestWhichRequestsACookieCountsIn(t *testing.T) {
	const absent = "absent"
	e := open(t, options{})
	c := e.begin(t)
	set := func(h http.Header, name, value string) {
		if value != absent {
			h[name] = []string{value}
		}
	}
	counts := 0
	for _, site := range []string{absent, "", "none", "same-origin", "same-site", "cross-site", "Same-Origin", "else"} {
		for _, origin := range []string{
			absent, "", "null", "https://hub.test", "HTTPS://hub.test", "http://hub.test", "https://hub.test:443", "https://hub.test:8443",
			"https://hub.test/", "https://evil.test", "https://hub.test.evil.test", "https://a.hub.test",
		} {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodHead} {
				for _, mode := range []string{absent, "navigate", "cors", "no-cors", "websocket"} {
					for _, dest := range []string{absent, "document", "iframe", "empty", "image"} {
						for _, path := range []string{"/portal/", "/portal/me", "/apps/x/jump", "/files/1", "/portal", "/apps", "/message-hub/stream", "/portalx/", "/x/portal/"} {
							r := httptest.NewRequest(method, path, nil)
							r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
							set(r.Header, "Sec-Fetch-Site", site)
							set(r.Header, "Sec-Fetch-Mode", mode)
							set(r.Header, "Sec-Fetch-Dest", dest)
							set(r.Header, "Origin", origin)

							own := site == "same-origin" || site == "none"
							legacy := site == absent && origin == "https://hub.test"
							below := slices.ContainsFunc([]string{"/portal/", "/apps/", "/files/"}, func(f string) bool { return strings.HasPrefix(path, f) })
							link := site != absent && method == http.MethodGet && mode == "navigate" && dest == "document" && below
							want := own || legacy || link
							w := httptest.NewRecorder()
							s, err := e.Check(w, r, false)
							if (err == nil) != want || err != nil && (fault.KindOf(err) != fault.Forbidden || s.Username != "") {
								t.Fatalf("%s %s %v: %v, want it to count: %v", method, path, r.Header, err, want)
							}
							if w.Header().Get("Cross-Origin-Resource-Policy") != "same-origin" {
								t.Fatal("no Cross-Origin-Resource-Policy")
							}
							counts++
						}
					}
				}
			}
		}
	}
	if got := e.Stats().RefusedSite; got == 0 || got >= uint64(counts) {
		t.Errorf("%d of %d requests were refused", got, counts)
	}
}

func TestHeadersThatComeTwiceDoNotCount(t *testing.T) {
	e := open(t, options{})
	c := e.begin(t)
	for _, h := range []http.Header{
		{"Sec-Fetch-Site": {"same-origin", "cross-site"}},
		{"Sec-Fetch-Site": {"same-origin", "same-origin"}},
		{"Origin": {"https://hub.test", "https://hub.test"}},
	} {
		r := request(c)
		r.Header.Del("Sec-Fetch-Site")
		for name, values := range h {
			r.Header[name] = values
		}
		if _, err := e.Check(httptest.NewRecorder(), r, false); fault.KindOf(err) != fault.Forbidden {
			t.Errorf("%v: %v", h, err)
		}
	}
}

func TestTheOriginHasNoDefaultPort(t *testing.T) {
	for url, origin := range map[string]string{
		"https://Hub.Test:443": "https://hub.test", "https://hub.test:8443/below": "https://hub.test:8443",
		"http://localhost:80": "http://localhost", "http://127.0.0.1:443": "http://127.0.0.1:443",
	} {
		e := open(t, options{publicURL: url})
		r := request(e.begin(t))
		r.Header.Del("Sec-Fetch-Site")
		r.Header.Set("Origin", origin)
		if _, err := e.Check(httptest.NewRecorder(), r, false); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
}
