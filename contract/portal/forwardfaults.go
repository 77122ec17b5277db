package portal

import (
	"net/http"
	"strings"
	"testing"
)

func forwardFaultCases() []forwardCase {
	return []forwardCase{
		{"only clients with the scope may call", forwardsForClients},
		{"an answer that is no HTTP is 503", forwardsNoNonsense},
		{"a path of another spelling is unknown", forwardsNoOtherPath},
	}
}

func forwardsForClients(t *testing.T, f *forwarding) {
	path, _ := f.center.record(t)
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions, "PROPFIND"} {
		r := f.send(t, method, path, http.Header{"Authorization": {""}}, "")
		f.byHub(t, r, http.StatusUnauthorized)
		want(t, "the challenge", r.header.Get("WWW-Authenticate"), `Bearer realm="hub"`)
		r = f.send(t, method, path, http.Header{"Authorization": {"Bearer x"}}, "")
		f.byHub(t, r, http.StatusUnauthorized)
	}
	f.byHub(t, f.send(t, http.MethodGet, path, http.Header{"Authorization": {f.Limited(t)}}, ""), http.StatusForbidden)
}

func forwardsNoNonsense(t *testing.T, f *forwarding) {
	for name, answer := range map[string]string{
		"nothing":              "",
		"no HTTP":              "SSH-2.0-OpenSSH\r\n",
		"a broken status line": "HTTP/1.1 two hundred\r\n\r\n",
		"a broken header":      "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
		"two lengths":          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"a cut header":         "HTTP/1.1 200 OK\r\nContent-Type: text",
		"a huge header":        "HTTP/1.1 200 OK\r\nX-Huge: " + strings.Repeat("x", 1<<20) + "\r\n\r\n",
		"a foreign coding":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
	} {
		r := f.send(t, http.MethodPost, f.center.bytes(t, answer), nil, "x")
		f.byHub(t, r, http.StatusServiceUnavailable)
		if r.header.Get("Retry-After") == "" || strings.Contains(string(r.body), "127.0.0.1") {
			t.Errorf("%s: %v %s", name, r.header, r.body)
		}
	}
}

func forwardsNoOtherPath(t *testing.T, f *forwarding) {
	for _, path := range []string{"/event-centers", "/Event-Center/x", "/event%2dcenter/x", "//event-center/x", "/event-center;x/y", "/x/../event-center", "/event-center%2fx", "/event_center/x"} {
		r := f.raw(t, "GET "+path+" HTTP/1.1", nil, "")
		want(t, path, r.status == http.StatusNotFound || f.Settings().ErrorStatus200, true)
		want(t, path, r.header.Get("Hub-Origin"), "")
	}
}
