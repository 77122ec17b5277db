package portal

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func forwardHostileCases() []forwardCase {
	return []forwardCase{
		{"what leads out of the path is 400 in any encoding", forwardsNoSteps},
		{"no request names the host that is called", forwardsToOneHost},
		{"requests of which two are read are refused or made one", forwardsOneRequest},
		{"no header can be made of another", forwardsNoInjection},
	}
}

// HostilePaths are what stands behind /event-center/CASE and would lead some reader of paths out of that path, or
// has characters that some take for others.
func HostilePaths() []string {
	dots := []string{
		"..", ".", "%2e%2e", "%2E%2e", ".%2e", "%2e.", "%2e", "%252e%252e", "%25252e%25252e", "%2525252525252e.", "%25%32%65%25%32%65", "%%32%65%%32%65",
		"..;", "..;x", "..;x=1;y", ".;", "%2e%2e;", "..%3b", "..%3bx", "..%253b", "%252e%252e%253bx",
		"%c0%ae%c0%ae", "%c0%2e%c0%2e", "%e0%80%ae%e0%80%ae", "%f0%80%80%ae", "%c0%ae.", "%25c0%25ae%25c0%25ae", "%fe", "%ff%fe",
		"..%5c", "..%255c", "%5c..", "x%5c..%5cy", "%5c", "%255c", "%25255c", "..\\", "a\\b", "x%00", "..%00", "%2500", "%00", "%252500",
	}
	var all []string
	for _, dot := range dots {
		for _, form := range []string{"/@", "/@/", "/@/x", "/a/@", "/a/@/b", "/a/@/@/b", "/%2f@", "/a%2f@", "/a%252f@", "/@%2fb", "/@%252fb", "/@%25252fb", "/a%2F@%2Fb", "//@"} {
			all = append(all, strings.ReplaceAll(form, "@", dot))
		}
	}
	return all
}

func forwardsNoSteps(t *testing.T, f *forwarding) {
	path, _ := f.center.record(t)
	for _, rest := range HostilePaths() {
		r := f.raw(t, "GET "+path+rest+" HTTP/1.1", nil, "")
		// net/http refuses by itself what is no URL at all.
		if r.status == http.StatusBadRequest && r.header.Get("Hub-Origin") == "" && strings.HasPrefix(string(r.body), "400 Bad Request") {
			continue
		}
		f.byHub(t, r, http.StatusBadRequest)
	}
}

func forwardsToOneHost(t *testing.T, f *forwarding) {
	var called atomic.Int64
	evil := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Add(1) }))
	t.Cleanup(evil.Close)
	other := strings.TrimPrefix(evil.URL, "http://")
	path, next := f.center.record(t)
	honest := f.ask(t)
	conn, host := f.connect(t)
	_ = conn.Close()
	for name, head := range map[string]string{
		"an absolute target":             "GET " + f.base + path + " HTTP/1.1\r\nHost: " + host,
		"an absolute target of another":  "GET http://" + other + path + " HTTP/1.1\r\nHost: " + host,
		"an absolute target with a user": "GET http://" + host + "@" + other + path + " HTTP/1.1\r\nHost: " + host,
		"another host":                   "GET " + path + " HTTP/1.1\r\nHost: " + other,
		"another host beside":            "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nX-Forwarded-Host: " + other + "\r\nX-Host: x\r\nForwarded: host=" + other,
		"a host with a path":             "GET " + path + " HTTP/1.1\r\nHost: " + other + "/x",
		"a host of the query":            "GET " + path + "?@" + other + "/ HTTP/1.1\r\nHost: " + host,
		"a path like a host":             "GET " + path + "/@" + other + " HTTP/1.1\r\nHost: " + host,
		"a path like a URL":              "GET " + path + "/http://" + other + "/ HTTP/1.1\r\nHost: " + host,
		"two hosts":                      "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nHost: " + other,
	} {
		conn, _ := f.connect(t)
		r := f.bytes(t, conn, head+"\r\nAuthorization: "+f.bearer+"\r\nConnection: close\r\n\r\n")
		if r.status/100 == 4 || r.header.Get("Hub-Origin") != "" {
			continue
		}
		byCenter(t, r, http.StatusOK)
		got := next()
		want(t, name+": the host", got.host, honest.host)
		want(t, name+": where Hub is", got.header.Get("X-Forwarded-Host"), honest.header.Get("X-Forwarded-Host"))
	}
	want(t, "calls of another host", int(called.Load()), 0)
}

func forwardsOneRequest(t *testing.T, f *forwarding) {
	const smuggled = "GET /base/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	for name, request := range map[string]string{
		"a length and chunks":      "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nchunk\r\n0\r\n\r\n" + smuggled,
		"chunks and a length":      "Transfer-Encoding: chunked\r\nContent-Length: 100\r\n\r\n5\r\nchunk\r\n0\r\n\r\n" + smuggled,
		"two lengths":              "Content-Length: 5\r\nContent-Length: 60\r\n\r\nchunk" + smuggled,
		"a list of lengths":        "Content-Length: 5, 60\r\n\r\nchunk" + smuggled,
		"a signed length":          "Content-Length: +5\r\n\r\nchunk" + smuggled,
		"an unknown coding":        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + smuggled,
		"two codings":              "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + smuggled,
		"a list of codings":        "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + smuggled,
		"a blank before the colon": "Transfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\nchunk" + smuggled,
		"a name with a tab":        "Transfer-Encoding\t: chunked\r\nContent-Length: 5\r\n\r\nchunk" + smuggled,
		"a folded line":            "X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nchunk" + smuggled,
		"an underscored coding":    "Transfer_Encoding: chunked\r\nContent-Length: 5\r\n\r\nchunk" + smuggled,
		"an underscored length":    "Content_Length: 60\r\nContent-Length: 5\r\n\r\nchunk" + smuggled,
		"bare line feeds":          "Transfer-Encoding: chunked\n\n5\r\nchunk\r\n0\r\n\r\n" + smuggled,
		"an extension of a chunk":  "Transfer-Encoding: chunked\r\n\r\n5;x=\r\nchunk\r\n0\r\n\r\n" + smuggled,
		"a huge chunk":             "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nchunk" + smuggled,
	} {
		path, next := f.center.record(t)
		conn, host := f.connect(t)
		r := f.bytes(t, conn, "POST "+path+" HTTP/1.1\r\nHost: "+host+"\r\nAuthorization: "+f.bearer+"\r\nConnection: close\r\n"+request)
		if refused := r.status == http.StatusBadRequest || r.status == http.StatusNotImplemented; refused || r.header.Get("Hub-Origin") != "" {
			continue
		}
		byCenter(t, r, http.StatusOK)
		got := next()
		want(t, name+": the body", got.body, "chunk")
		if length, chunks := got.header.Values("Content-Length"), got.header.Values("Transfer-Encoding"); len(length) > 1 || len(chunks) > 0 {
			t.Errorf("%s: the event center got %q and %q", name, length, chunks)
		}
	}
}

func forwardsNoInjection(t *testing.T, f *forwarding) {
	path, next := f.center.record(t)
	for _, rest := range []string{"/%0d%0aHub-Client-Id:%20evil", "?%0d%0aHub-Client-Id:%20evil", "/%0aX:y", "/%250d%250aX:y"} {
		byCenter(t, f.raw(t, "GET "+path+rest+" HTTP/1.1", nil, ""), http.StatusOK)
		got := next()
		want(t, "the target", got.uri, strings.TrimPrefix(path, "/event-center")+rest)
		if names := claimed(got.header, "evil"); len(names) > 0 {
			t.Errorf("the event center got %q", names)
		}
	}
	for _, line := range []string{"X-A: b\rHub-Client-Id: evil", "X-A: b\x00Hub-Client-Id: evil", "X A: b", "X-A\x00: b", ": evil", "Hub-Client-Id\x0b: evil"} {
		r := f.raw(t, "GET "+path+" HTTP/1.1", []string{line}, "")
		want(t, line, r.status, http.StatusBadRequest)
	}
	huge := f.raw(t, "GET "+path+" HTTP/1.1", []string{"X-Huge: " + strings.Repeat("x", 64<<10)}, "")
	want(t, "a huge header", huge.status, http.StatusRequestHeaderFieldsTooLarge)
	answer := f.center.answer(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-A: b\rSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n")
		_ = conn.Close()
	})
	r := f.send(t, http.MethodGet, answer, nil, "")
	want(t, "Set-Cookie", r.header.Get("Set-Cookie"), "")
}
