package socket_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/conn"
	"example.com/hub/services/edge/internal/socket"
	"example.com/hub/services/edge/internal/topic"
)

func TestHandshakesThatAreRefused(t *testing.T) {
	e := newBroker(t, socket.Deps{})
	for name, change := range map[string]func(*http.Request){
		"no upgrade":       func(r *http.Request) { r.Header.Del("Connection") },
		"another protocol": func(r *http.Request) { r.Header.Set("Upgrade", "h2c") },
		"another version":  func(r *http.Request) { r.Header.Set("Sec-Websocket-Version", "8") },
		"no key":           func(r *http.Request) { r.Header.Del("Sec-Websocket-Key") },
		"a short key":      func(r *http.Request) { r.Header.Set("Sec-Websocket-Key", "AAAA") },
		"HTTP/1.0":         func(r *http.Request) { r.ProtoMinor = 0 },
	} {
		r, w := handshake(t, portal), httptest.NewRecorder()
		change(r)
		f := e.Serve(w, r, "amy", topic.Inbox)
		if f == nil || f.Status != http.StatusUpgradeRequired {
			t.Errorf("%s: %+v", name, f)
		}
		if h := w.Header(); h.Get("Upgrade") != "websocket" || h.Get("Connection") != "Upgrade" || h.Get("Sec-Websocket-Version") != "13" {
			t.Errorf("%s: header %v", name, h)
		}
		if w.Body.Len() > 0 {
			t.Errorf("%s: the body is written: %s", name, w.Body)
		}
	}
	if s := e.Stats(); s.Open != 0 {
		t.Errorf("stats = %+v", s)
	}
}

func TestOnlyACookieIsBoundToTheOwnOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := func(origin []string) bool { return len(origin) == 1 && origin[0] == "https://hub.test" }
		e := start(t, socket.Deps{Sessions: &sessions{}, OwnOrigin: own})
		open := func(p auth.Principal, origin ...string) bool {
			r := handshake(t, p)
			r.Header["Origin"] = origin
			return e.Serve(pipe(t), r, "amy", topic.Inbox) == nil
		}
		cookie, bearer := inSession("amy", "1"), auth.Principal{User: "amy"}
		if !open(cookie, "https://hub.test") || !open(bearer) || !open(bearer, "https://evil.test") {
			t.Error("a good socket is refused")
		}
		for _, origin := range [][]string{nil, {"https://evil.hub.test"}, {"https://hub.test", "https://hub.test"}, {"http://hub.test"}, {"null"}} {
			if open(cookie, origin...) {
				t.Errorf("a cookie counts from %q", origin)
			}
		}
	})
}

func TestThereAreNotTooManySockets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{MaxSockets: 2})
		one, two := e.open(t, "amy"), e.open(t, "ben")
		if f := e.Serve(nil, handshake(t, portal), "carla", topic.Inbox); f == nil || f.Status != http.StatusServiceUnavailable {
			t.Errorf("the third: %+v", f)
		}
		_ = one.Close()
		synctest.Wait()
		three := e.open(t, "carla")
		two.wantOpen(t)
		three.wantOpen(t)
		if s := e.Stats(); s.Open != 2 || s.Max != 2 || s.Refused != 1 {
			t.Errorf("stats = %+v", s)
		}
	})
}

// TestOverTheNet has a client of the library, over TCP and TLS.
func TestOverTheNet(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprint("tls=", secure), func(t *testing.T) {
			e := start(t, socket.Deps{})
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if f := e.Serve(w, r.WithContext(auth.With(r.Context(), portal)), "amy", topic.Inbox); f != nil {
					t.Errorf("no socket: %+v", f)
				}
			}))
			if secure {
				server.Listener = conn.Listener(server.Listener)
				server.StartTLS()
			} else {
				server.Start()
			}
			defer server.Close()
			c, _, err := websocket.Dial(t.Context(), server.URL, &websocket.DialOptions{HTTPClient: server.Client()})
			if err != nil {
				t.Fatal(err)
			}
			next(t, c, `{"type":"inbox.unread.changed","unread":0,`)
			for n := range 1000 {
				e.bus.publish(message("amy", fmt.Sprint(n)))
				next(t, c, fmt.Sprintf(`{"type":"message.created","id":"%d",`, n))
			}
			go func() { _ = e.Shutdown(t.Context()) }()
			if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusServiceRestart {
				t.Errorf("the end: %v", err)
			}
		})
	}
}

func next(t testing.TB, c *websocket.Conn, want string) {
	t.Helper()
	if _, text, err := c.Read(t.Context()); err != nil || len(text) < len(want) || string(text[:len(want)]) != want {
		t.Fatalf("read %s, %v, want %s", text, err, want)
	}
}

// TestTheLongestIDFitsIntoOneFrame, which the library flushes at once.
func TestTheLongestIDFitsIntoOneFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		near := e.bare(t, "amy", portal)
		if _, _, err := readFrame(near); err != nil {
			t.Fatal(err)
		}
		id := make([]byte, 255)
		e.bus.publish(bus.Event{Kind: bus.Message, User: "amy", ID: string(id), Time: time.Now()})
		buffer := make([]byte, 4<<10)
		n, err := near.Read(buffer) // one write of a pipe
		if length := int(buffer[2])<<8 | int(buffer[3]); err != nil || length != n-4 || length < 6*255 {
			t.Errorf("%d bytes at once, the frame has %d: %v", n, length, err)
		}
	})
}

func pipe(t *testing.T) *takeover {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { _ = near.Close() })
	return &takeover{httptest.NewRecorder(), far}
}
