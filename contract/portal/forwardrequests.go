package portal

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
)

func forwardRequestCases() []forwardCase {
	return []forwardCase{
		{"every method reaches the event center with its body", forwardsMethods},
		{"the path and the query arrive as they were sent", forwardsPaths},
		{"the path itself is the URL of the event center", forwardsTheRoot},
		{"CONNECT and TRACE are 405", forwardsNoTunnels},
		{"an Upgrade is taken out of the request", forwardsNoUpgrade},
		{"a body arrives while it is still being sent", forwardsBodiesAtOnce},
		{"trailers of a request stay at Hub", forwardsNoTrailers},
		{"a body over the limit is 413 whether its length is told or not", forwardsBodiesUpToTheLimit},
	}
}

func forwardsMethods(t *testing.T, f *forwarding) {
	path, next := f.center.record(t)
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "brew"} {
		body := ""
		if method != http.MethodHead {
			body = "a body of " + method
		}
		byCenter(t, f.send(t, method, path+"/x", nil, body), http.StatusOK)
		got := next()
		want(t, "the method", got.method, method)
		want(t, "the body", got.body, body)
	}
}

func forwardsPaths(t *testing.T, f *forwarding) {
	path, next := f.center.record(t)
	for _, rest := range []string{
		"", "/", "//", "/a//b", "/a/", "/%41%2fb", "/a%2Fb%2fc", "/%20%25%3F%23", "/caf%C3%A9", "/a;b=c/d", "/...", "/..a", "/a..", "/.a", "/a.", "/:@!$&'()*+,=~", "/[x]",
		"?", "?a=b&a=c", "?a=%zz&;x&b=|\"", "?../..", "/x?y=/../z\\", "/%E2%82%AC?x=%E2%82%AC",
	} {
		byCenter(t, f.raw(t, "GET "+path+rest+" HTTP/1.1", nil, ""), http.StatusOK)
		want(t, "the target", next().uri, strings.TrimPrefix(path, "/event-center")+rest)
	}
}

func forwardsTheRoot(t *testing.T, f *forwarding) {
	for _, path := range []string{"/event-center", "/event-center/"} {
		// The stand-in expects nothing there and says so.
		r := f.send(t, http.MethodGet, path, nil, "")
		byCenter(t, r, http.StatusNotImplemented)
		want(t, "the answer", string(r.body), "nothing is expected at "+standInBase+strings.TrimPrefix(path, "/event-center")+"\n")
	}
}

func forwardsNoTunnels(t *testing.T, f *forwarding) {
	for _, method := range []string{"CONNECT", "TRACE"} {
		r := f.raw(t, method+" /event-center/x HTTP/1.1", nil, "")
		f.byHub(t, r, http.StatusMethodNotAllowed)
		want(t, "Allow", r.header.Get("Allow"), "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT")
	}
}

func forwardsNoUpgrade(t *testing.T, f *forwarding) {
	path, next := f.center.record(t)
	for _, protocol := range []string{"websocket", "h2c", "\x01x"} {
		byCenter(t, f.send(t, http.MethodGet, path, http.Header{
			"Connection": {"Upgrade"}, "Upgrade": {strings.Trim(protocol, "\x01")}, "Sec-WebSocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
		}, ""), http.StatusOK)
		got := next()
		if got.header.Get("Upgrade") != "" || got.header.Get("Connection") != "" {
			t.Errorf("the event center got %v", got.header)
		}
	}
	switching := f.center.answer(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_ = conn.Close()
	})
	f.byHub(t, f.send(t, http.MethodGet, switching, http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}}, ""), http.StatusServiceUnavailable)
}

func forwardsBodiesAtOnce(t *testing.T, f *forwarding) {
	lines := make(chan string, 10)
	path := f.center.answer(t, func(_ http.ResponseWriter, r *http.Request) {
		for in := bufio.NewScanner(r.Body); in.Scan(); {
			lines <- in.Text()
		}
	})
	body, out := io.Pipe()
	answered := make(chan reply, 1)
	go func() {
		resp, err := f.http.Do(f.request(t, http.MethodPost, path, body))
		if err != nil {
			answered <- reply{path: path + ": " + err.Error()}
			return
		}
		_ = resp.Body.Close()
		answered <- reply{path: path, status: resp.StatusCode}
	}()
	for _, line := range []string{"one", "two"} {
		if _, err := io.WriteString(out, line+"\n"); err != nil {
			t.Fatal(err)
		}
		want(t, "the line", soon(t, line, lines), line)
	}
	_ = out.Close()
	byCenter(t, soon(t, "the answer", answered), http.StatusOK)
}

func (f *forwarding) request(t *testing.T, method, path string, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(limited(t), method, f.base+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", f.bearer)
	return r
}

func forwardsNoTrailers(t *testing.T, f *forwarding) {
	path, next := f.center.record(t)
	byCenter(t, f.raw(t, "POST "+path+" HTTP/1.1", []string{"Transfer-Encoding: chunked", "Trailer: Hub-Client-Id, X-Sum"},
		"4\r\nbody\r\n0\r\nHub-Client-Id: evil\r\nX-Sum: 1\r\n\r\n"), http.StatusOK)
	got := next()
	want(t, "the body", got.body, "body")
	if len(got.trailer) > 0 {
		t.Errorf("the trailers are %v", got.trailer)
	}
}

func forwardsBodiesUpToTheLimit(t *testing.T, f *forwarding) {
	path, next := f.center.record(t)
	most := strings.Repeat("x", f.center.maxBody)
	byCenter(t, f.send(t, http.MethodPost, path, nil, most), http.StatusOK)
	want(t, "the length", len(next().body), len(most))
	resp := f.begin(t, http.MethodPost, path, nil, io.MultiReader(strings.NewReader(most))) // in chunks
	want(t, "the status", resp.StatusCode, http.StatusOK)
	want(t, "the length", len(next().body), len(most))

	f.byHub(t, f.send(t, http.MethodPost, path, nil, most+"x"), http.StatusRequestEntityTooLarge)
	r, out := io.Pipe()
	go func() {
		_, _ = io.WriteString(out, most+strings.Repeat("x", 1<<20)) // the target stops reading
		_ = out.Close()
	}()
	resp = f.begin(t, http.MethodPost, path, nil, r)
	f.byHub(t, reply{path: path, status: resp.StatusCode, header: resp.Header, body: []byte(contentOf(resp.Body))}, http.StatusRequestEntityTooLarge)
}
