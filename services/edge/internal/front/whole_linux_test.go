package front

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestLargeAnswerComesInOnePiece reads from the connection as soon as something is there.
func TestLargeAnswerComesInOnePiece(t *testing.T) {
	body := bytes.Repeat([]byte("x"), 3*large)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Answer(&Exchange{ResponseWriter: w, Socket: Socket(r.Context())}, body)
	}))
	server.Config.ConnContext = ConnContext
	server.Start()
	defer server.Close()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	answer := make([]byte, 8*large)
	for range 20 {
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: hub\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		n, err := c.Read(answer)
		if err != nil || !bytes.HasSuffix(answer[:n], body) {
			t.Fatalf("%d bytes came first, %v; want all %d of the body", n, err, len(body))
		}
	}
}
