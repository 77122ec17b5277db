package contract

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"
)

// raw sends bytes that an HTTP client would not send and reads one answer. It writes and reads at
// the same time, since a server may refuse a large body before it has come.
func (s *suite) raw(t *testing.T, method string, data io.Reader) answer {
	t.Helper()
	conn := s.dial(t)
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(callTimeout)); err != nil {
		t.Fatalf("set a deadline: %v", err)
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		// The server may hang up early; its answer tells why.
		_, _ = io.Copy(conn, data)
	}()
	defer func() {
		_ = conn.Close()
		<-written
	}()
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("read the answer to raw bytes: %v", err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("read the answer to raw bytes: %v", err)
	}
	return answer{
		request: request{method: method, path: "(raw)"},
		s:       s,
		status:  response.StatusCode,
		got:     response.Header,
		data:    body,
	}
}

// dial connects to the target as HTTP/1.1.
func (s *suite) dial(t *testing.T) net.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), callTimeout)
	defer cancel()
	address := s.base.Host
	if s.base.Port() == "" {
		address = net.JoinHostPort(s.base.Hostname(), s.base.Scheme)
	}
	var dialer interface {
		DialContext(ctx context.Context, network, address string) (net.Conn, error)
	} = &net.Dialer{}
	if s.base.Scheme == "https" {
		dialer = &tls.Dialer{Config: &tls.Config{
			ServerName: s.base.Hostname(),
			RootCAs:    s.target.Authorities,
			NextProtos: []string{"http/1.1"},
			MinVersion: tls.VersionTLS12,
		}}
	}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	return conn
}

// rawLine sends a request line as it is, with a valid token; path is not touched.
func (c *caller) rawLine(t *testing.T, method, path string) answer {
	t.Helper()
	head := method + " " + c.s.base.Path + path + " HTTP/1.1\r\n" +
		"Host: " + c.s.base.Host + "\r\n" +
		"Authorization: Bearer " + c.bearer(t) + "\r\n" +
		"Content-Length: 0\r\nConnection: close\r\n\r\n"
	a := c.s.raw(t, method, bytes.NewReader([]byte(head)))
	a.path = path
	return a
}

// rawBody posts an object of size bytes, mostly blanks, with a Content-Length or in chunks.
func (c *caller) rawBody(t *testing.T, path string, size int, chunked bool) answer {
	t.Helper()
	head := "POST " + c.s.base.Path + path + " HTTP/1.1\r\n" +
		"Host: " + c.s.base.Host + "\r\n" +
		"Authorization: Bearer " + c.bearer(t) + "\r\n" +
		"Content-Type: application/json\r\nConnection: close\r\n"
	var out bytes.Buffer
	out.WriteString(head)
	blanks := bytes.Repeat([]byte(" "), size-2)
	body := append(append([]byte("{"), blanks...), '}')
	if chunked {
		out.WriteString("Transfer-Encoding: chunked\r\n\r\n")
		writeChunks(&out, body)
	} else {
		out.WriteString("Content-Length: " + strconv.Itoa(size) + "\r\n\r\n")
		out.Write(body)
	}
	a := c.s.raw(t, http.MethodPost, &out)
	a.path = path
	return a
}

// writeChunks frames a body as RFC 9112 section 7.1 has it.
func writeChunks(out *bytes.Buffer, body []byte) {
	const size = 64 << 10
	for len(body) > 0 {
		part := body[:min(size, len(body))]
		body = body[len(part):]
		out.WriteString(strconv.FormatInt(int64(len(part)), 16) + "\r\n")
		out.Write(part)
		out.WriteString("\r\n")
	}
	out.WriteString("0\r\n\r\n")
}
