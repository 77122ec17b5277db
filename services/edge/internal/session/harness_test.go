package session_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/membus"
	"example.com/hub/pkg/fault"
	"example.com/hub/services/edge/internal/sealed"
	"example.com/hub/services/edge/internal/session"
)

const (
	publicURL = "https://hub.test"
	cookie    = "__Host-hub-session"
	first     = "lNGfhVyWlSxMdSrpkPPLkwLPyPdHCFNK"
	second    = "d52c1ccf3e2ba6a3d2f1ae2b2b0d4bbd0b0d5f6a35d51d0f9f8a96e3a0b9bb42"
)

var (
	amy     = session.Person{Username: "amy", Name: "Amy Ämmer", Permissions: []string{"todos"}}
	errAway = errors.New("the database is away")
)

// clock is the time of a test, which all its edges share.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Unix(1_900_000_000, 0)} }

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// store is a Memory that can be away, and change its mind on a person.
type store struct {
	*session.Memory
	asked       int
	away        error
	permissions []string // nil leaves those of the row
}

func (s *store) Begin(ctx context.Context, row session.Row) error {
	return errors.Join(s.away, s.Memory.Begin(ctx, row))
}

func (s *store) Renew(ctx context.Context, p session.RenewParams) ([]string, error) {
	s.asked++
	if s.away != nil {
		return nil, s.away
	}
	permissions, err := s.Memory.Renew(ctx, p)
	if s.permissions != nil {
		permissions = s.permissions
	}
	return permissions, err
}

func (s *store) End(ctx context.Context, id string) error {
	if s.away != nil {
		return s.away
	}
	return s.Memory.End(ctx, id)
}

// edge is the sessions of one edge.
type edge struct {
	*session.Sessions
	deps  session.Deps
	clock *clock
	store *store
	log   strings.Builder
	file  string // of the keys
}

func (e *edge) write(t testing.TB, keys ...string) {
	t.Helper()
	if err := os.WriteFile(e.file, []byte(strings.Join(keys, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
}

// options are what differs from edge to edge.
type options struct {
	publicURL string
	clock     *clock
	bus       session.Bus
	keys      []string
	config    session.Config
}

func open(t testing.TB, o options) *edge {
	t.Helper()
	if o.clock == nil {
		o.clock = newClock()
	}
	if o.bus == nil {
		b := membus.New()
		t.Cleanup(func() { _ = b.Close(context.Background()) })
		o.bus = b
	}
	if o.publicURL == "" {
		o.publicURL = publicURL
	}
	if o.keys == nil {
		o.keys = []string{first}
	}
	if o.config == (session.Config{}) {
		o.config = session.Config{Idle: 30 * time.Minute, Lifetime: 8 * time.Hour}
	}
	e := &edge{clock: o.clock, store: &store{Memory: session.NewMemory()}, file: filepath.Join(t.TempDir(), "secrets")}
	e.write(t, o.keys...)
	keys, err := sealed.Open(sealed.Config{File: e.file}, sealed.Deps{Clock: o.clock.time, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	e.deps = session.Deps{
		Config: o.config, PublicURL: o.publicURL, Keys: keys, Store: e.store, Bus: o.bus,
		Logger: slog.New(slog.NewTextHandler(&e.log, &slog.HandlerOptions{Level: slog.LevelDebug})), Clock: o.clock.time,
	}
	if e.Sessions, err = session.New(e.deps); err != nil {
		t.Fatal(err)
	}
	e.Watch(func(_, id string) { e.store.Forget(id) })
	t.Cleanup(e.Subscribe(bus.Handler{Frame: func(bus.Frame) {}}))
	return e
}

// with gives the same edge with another store.
func (e *edge) with(t *testing.T, s session.Store) *session.Sessions {
	t.Helper()
	d := e.deps
	d.Store = s
	other, err := session.New(d)
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// begin logs amy in, and gives her cookie.
func (e *edge) begin(t testing.TB) *http.Cookie {
	t.Helper()
	w := httptest.NewRecorder()
	if err := e.Begin(w, httptest.NewRequest(http.MethodGet, "/portal/callback", nil), amy); err != nil {
		t.Fatal(err)
	}
	return taken(t, w)
}

// taken is the one cookie that an answer sets.
func taken(t testing.TB, w *httptest.ResponseRecorder) *http.Cookie {
	t.Helper()
	cookies := w.Result().Cookies()
	if len(cookies) != 1 {
		t.Fatalf("the answer sets %d cookies", len(cookies))
	}
	return cookies[0]
}

// request is one of a page of Hub's own.
func request(cookies ...*http.Cookie) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/message-hub/unread-count", nil)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, c := range cookies {
		r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	return r
}

// check sends the cookie, and gives the one that it is replaced by, or itself.
func (e *edge) check(t *testing.T, c *http.Cookie) (session.Session, *http.Cookie) {
	t.Helper()
	w := httptest.NewRecorder()
	s, err := e.Check(w, request(c), false)
	if err != nil {
		t.Fatal(err)
	}
	if s.Username != amy.Username || s.Name != amy.Name {
		t.Errorf("the session is %+v", s)
	}
	if len(w.Result().Cookies()) == 0 {
		return s, c
	}
	return s, taken(t, w)
}

// wantRefused sends the cookies, none of which may count.
func (e *edge) wantRefused(t *testing.T, kind fault.Kind, cookies ...*http.Cookie) {
	t.Helper()
	w := httptest.NewRecorder()
	if s, err := e.Check(w, request(cookies...), false); err == nil || fault.KindOf(err) != kind || s.Username != "" {
		t.Errorf("the session is %+v, %v; want a fault of kind %d", s, err, kind)
	}
	if set := w.Header()["Set-Cookie"]; len(set) != 0 {
		t.Errorf("the answer sets %q", set)
	}
}
