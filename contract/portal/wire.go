package portal

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"example.com/hub/contract"
)

const socketPath = "/message-hub/ws"

// wire is an open WebSocket. It reads all that comes and answers pings.
type wire struct {
	conn   *websocket.Conn
	answer *http.Response // to the handshake
	got    chan said
	pings  chan struct{} // at most some
	end    chan websocket.StatusCode
}

// said is a message.
type said struct {
	Type   string  `json:"type"`
	Unread *int64  `json:"unread"`
	ID     *string `json:"id"`
	TS     int64   `json:"ts"`
}

// dial opens a socket, or gives the refusal.
func dial(t *testing.T, client *http.Client, address string, header http.Header) (*wire, reply) {
	t.Helper()
	w := &wire{got: make(chan said, 1000), pings: make(chan struct{}, 10), end: make(chan websocket.StatusCode, 1)}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, resp, err := websocket.Dial(ctx, address, &websocket.DialOptions{
		HTTPClient: client, HTTPHeader: header, CompressionMode: websocket.CompressionContextTakeover,
		OnPingReceived: func(context.Context, []byte) bool {
			select {
			case w.pings <- struct{}{}:
			default:
			}
			return true
		},
	})
	if resp == nil {
		t.Fatalf("dial: %v", err)
	}
	if err != nil {
		text, _ := io.ReadAll(resp.Body)
		return nil, reply{method: http.MethodGet, path: address, status: resp.StatusCode, header: resp.Header, body: text}
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	w.conn, w.answer = conn, resp
	go w.read(t)
	return w, reply{}
}

// read reads until the end of the socket or the test.
func (w *wire) read(t *testing.T) {
	for {
		kind, text, err := w.conn.Read(context.WithoutCancel(t.Context()))
		if err != nil {
			w.end <- websocket.CloseStatus(err)
			return
		}
		var s said
		if err := json.Unmarshal(text, &s); err != nil || kind != websocket.MessageText {
			t.Errorf("a message is %s: %v", text, err)
		}
		w.got <- s
	}
}

// openSocket opens a socket of a user, as the session's client.
func openSocket(t *testing.T, s *contract.Session, user string, more ...string) *wire {
	t.Helper()
	w, refused := trySocket(t, s, user, more...)
	if w == nil {
		t.Fatalf("no socket: %s", refused)
	}
	return w
}

func trySocket(t *testing.T, s *contract.Session, user string, more ...string) (*wire, reply) {
	t.Helper()
	base, client, header := s.Access(t)
	query := url.Values{"user": {user}}
	for i := 0; i < len(more); i += 2 {
		query.Set(more[i], more[i+1])
	}
	return dial(t, client, base+socketPath+"?"+query.Encode(), header)
}

var errNothing = errors.New("nothing comes")

// next waits for a message.
func (w *wire) next() (said, error) {
	select {
	case s := <-w.got:
		return s, nil
	case code := <-w.end:
		w.end <- code
		return said{}, websocket.CloseError{Code: code}
	case <-time.After(patience):
		return said{}, errNothing
	}
}

// wantsCount waits for a count, which others may come before: changes that follow each other are told one
// after the other. Messages of other types may come too.
func (w *wire) wantsCount(t *testing.T, unread int64) {
	t.Helper()
	for {
		s, err := w.next()
		if err != nil {
			t.Fatalf("the count %d does not come: %v", unread, err)
		}
		if s.Unread != nil && *s.Unread == unread {
			return
		}
	}
}

// wants waits for a message of a type, and gives its id.
func (w *wire) wants(t *testing.T, kind string) string {
	t.Helper()
	for {
		s, err := w.next()
		if err != nil {
			t.Fatalf("%s does not come: %v", kind, err)
		}
		if s.Type == kind && s.ID != nil {
			return *s.ID
		}
	}
}

// wantsEnd waits for the end of the socket, with a code.
func (w *wire) wantsEnd(t *testing.T, code websocket.StatusCode) {
	t.Helper()
	select {
	case got := <-w.end:
		w.end <- got
		want(t, "the code", got, code)
	case <-time.After(patience):
		t.Errorf("the socket does not end with %d", code)
	}
}

// lives demands that the socket goes on.
func (w *wire) lives(t *testing.T, s *contract.Session, user string) {
	t.Helper()
	push(t, s, user, contract.Fresh("message"))
	w.wantsCount(t, unreadOf(t, s, user))
}

// socket opens a socket as the visitor's browser does.
func (v *visitor) socket(t *testing.T, query string, header http.Header) (*wire, reply) {
	t.Helper()
	header = with(header)
	var cookies []string
	for name, value := range v.cookies {
		cookies = append(cookies, name+"="+value)
	}
	if len(cookies) > 0 {
		header["Cookie"] = []string{strings.Join(cookies, "; ")}
	}
	return dial(t, v.http, v.st.base+socketPath+query, header)
}
