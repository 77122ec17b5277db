package portal

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// begin sends a request as the client, unless the header has an Authorization, and gives the answer when its
// header is there. What is empty of the header is left out.
func (f *forwarding) begin(t *testing.T, method, path string, header http.Header, body io.Reader) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(limited(t), method, f.base+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", f.bearer)
	for name, values := range header {
		r.Header[name] = values
	}
	resp, err := f.http.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// send is begin with the answer read to its end.
func (f *forwarding) send(t *testing.T, method, path string, header http.Header, body string) reply {
	t.Helper()
	resp := f.begin(t, method, path, header, strings.NewReader(body))
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return reply{method: method, path: path, status: resp.StatusCode, header: resp.Header, body: got}
}

// connect gives a connection to the target for bytes that no client would send.
func (f *forwarding) connect(t *testing.T) (conn net.Conn, host string) {
	t.Helper()
	u, err := url.Parse(f.base)
	if err != nil {
		t.Fatal(err)
	}
	address := u.Host
	if u.Port() == "" {
		address = net.JoinHostPort(u.Hostname(), u.Scheme)
	}
	conn, err = new(net.Dialer).DialContext(limited(t), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if u.Scheme == "https" {
		config := &tls.Config{MinVersion: tls.VersionTLS12}
		if own, ok := f.http.Transport.(*http.Transport); ok && own.TLSClientConfig != nil {
			config = own.TLSClientConfig.Clone()
		}
		config.ServerName = u.Hostname()
		conn = tls.Client(conn, config)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn, u.Host
}

// raw sends a request with the lines of its head as they are, after which stand Host and Authorization, and gives
// the one answer.
func (f *forwarding) raw(t *testing.T, requestLine string, lines []string, body string) reply {
	t.Helper()
	conn, host := f.connect(t)
	head := append([]string{requestLine, "Host: " + host, "Authorization: " + f.bearer, "Connection: close"}, lines...)
	return f.bytes(t, conn, strings.Join(head, "\r\n")+"\r\n\r\n"+body)
}

// bytes sends bytes as they are and gives the first answer.
func (f *forwarding) bytes(t *testing.T, conn net.Conn, all string) reply {
	t.Helper()
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = io.WriteString(conn, all) // the target may hang up early
	}()
	method, _, _ := strings.Cut(all, " ")
	line, _, _ := strings.Cut(all, "\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%.200q: %v", line, err)
	}
	got, err := io.ReadAll(resp.Body)
	_ = conn.Close()
	<-written
	if err != nil {
		t.Fatalf("%.200q: %v", line, err)
	}
	return reply{method: method, path: line, status: resp.StatusCode, header: resp.Header, body: got}
}

// byHub demands a fault of Hub's own, with a status.
func (f *forwarding) byHub(t *testing.T, r reply, status int) {
	t.Helper()
	want(t, r.path+": Hub-Origin", r.header.Get("Hub-Origin"), "edge")
	want(t, r.path+": the type", r.header.Get("Content-Type"), "application/json")
	shown := status
	if f.Settings().ErrorStatus200 && status != http.StatusUnauthorized && status != http.StatusForbidden {
		shown = http.StatusOK
	}
	want(t, r.path+": the status", r.status, shown)
	var envelope struct {
		Code string `json:"code"`
		Msg  string `json:"msg"`
	}
	if err := json.Unmarshal(r.body, &envelope); err != nil && r.method != http.MethodHead {
		t.Errorf("%s: %s: %v", r.path, r.body, err)
		return
	}
	if r.method != http.MethodHead && (envelope.Code != "-1" || envelope.Msg == "") {
		t.Errorf("%s: the envelope is %s", r.path, r.body)
	}
}

// byCenter demands an answer of the event center, with a status.
func byCenter(t *testing.T, r reply, status int) {
	t.Helper()
	want(t, r.path+": the status", r.status, status)
	if origin := r.header.Values("Hub-Origin"); len(origin) > 0 {
		t.Errorf("%s: Hub-Origin is %q: %s", r.path, origin, r.body)
	}
}

// contentOf reads all that there is.
func contentOf(r io.Reader) string {
	b, _ := io.ReadAll(r)
	return string(b)
}
