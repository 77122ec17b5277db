package portal

import (
	"context"
	"crypto/rand"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/hub/contract"
)

// EventCenter stands in for an event center behind a target. It answers below a path of its own each case as that
// says.
type EventCenter struct {
	url, token, file string
	maxBody          int

	mu      sync.Mutex
	answers map[string]http.HandlerFunc
}

// standInBase is the path of the stand-in's URL.
const standInBase = "/base"

// NewEventCenter runs one on loopback until the test is over. It must be there before the target, which has its
// Settings.
func NewEventCenter(t testing.TB) *EventCenter {
	t.Helper()
	c := listenEventCenter(t, "127.0.0.1:0")
	c.token, c.maxBody = "center-"+rand.Text(), 64<<10
	c.file = filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(c.file, []byte(c.token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

func listenEventCenter(t testing.TB, address string) *EventCenter {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	c := &EventCenter{url: "http://" + l.Addr().String() + standInBase, answers: map[string]http.HandlerFunc{}}
	server := &http.Server{Handler: c, ReadHeaderTimeout: patience}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(l)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
	return c
}

// Settings are those by which a target forwards to the event center, NAME=value.
func (c *EventCenter) Settings() []string {
	return []string{
		"HUB_EVENT_CENTER_URL=" + c.url, "HUB_EVENT_CENTER_TOKEN_FILE=" + c.file, "HUB_EVENT_CENTER_MAX_BODY=" + strconv.Itoa(c.maxBody),
	}
}

// ServeHTTP implements http.Handler. Nothing of the path is cleaned.
func (c *EventCenter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest, ok := strings.CutPrefix(r.RequestURI, standInBase+"/")
	id, _, _ := strings.Cut(rest, "/")
	id, _, _ = strings.Cut(id, "?")
	c.mu.Lock()
	answer := c.answers[id]
	c.mu.Unlock()
	if !ok || answer == nil {
		http.Error(w, "nothing is expected at "+r.RequestURI, http.StatusNotImplemented)
		return
	}
	answer(w, r)
}

// answer has the stand-in answer below a path, which it gives as callers of Hub write it.
func (c *EventCenter) answer(t *testing.T, with http.HandlerFunc) string {
	t.Helper()
	id := contract.Fresh("case")
	c.mu.Lock()
	c.answers[id] = with
	c.mu.Unlock()
	t.Cleanup(func() {
		c.mu.Lock()
		delete(c.answers, id)
		c.mu.Unlock()
	})
	return "/event-center/" + id
}

// seen is what the stand-in got of a request.
type seen struct {
	method, uri, host string
	header            http.Header
	body              string
	trailer           http.Header
}

// record has the stand-in keep what it gets, and answer 200.
func (c *EventCenter) record(t *testing.T) (path string, next func() seen) {
	t.Helper()
	got := make(chan seen, 100)
	path = c.answer(t, func(w http.ResponseWriter, r *http.Request) {
		body := contentOf(r.Body)
		got <- seen{r.Method, strings.TrimPrefix(r.RequestURI, standInBase), r.Host, r.Header, body, r.Trailer}
		w.WriteHeader(http.StatusOK)
	})
	return path, func() seen {
		t.Helper()
		select {
		case s := <-got:
			return s
		default:
			t.Fatal("nothing came to the event center")
			return seen{}
		}
	}
}

// deployed is the stand-in for a deployment whose HUB_EVENT_CENTER_URL is http://ADDRESS/base, where the address
// is the one that the environment names; without one the test is skipped.
func deployed(t *testing.T) *EventCenter {
	t.Helper()
	address, ok := os.LookupEnv("HUB_TARGET_EVENT_CENTER")
	if !ok {
		t.Skip("set HUB_TARGET_EVENT_CENTER to the host:port on which to stand in for the event center of HUB_TARGET_URL, whose HUB_EVENT_CENTER_URL must be http://host:port" +
			standInBase + "; HUB_TARGET_EVENT_CENTER_TOKEN to the token of its HUB_EVENT_CENTER_TOKEN_FILE; HUB_TARGET_EVENT_CENTER_MAX_BODY (10485760)")
	}
	c := listenEventCenter(t, address)
	c.token, _ = os.LookupEnv("HUB_TARGET_EVENT_CENTER_TOKEN")
	c.maxBody = 10 << 20
	if n, ok := os.LookupEnv("HUB_TARGET_EVENT_CENTER_MAX_BODY"); ok {
		var err error
		if c.maxBody, err = strconv.Atoi(n); err != nil {
			t.Fatalf("HUB_TARGET_EVENT_CENTER_MAX_BODY: %v", err)
		}
	}
	return c
}

// forwarding is a target with an event center behind it.
type forwarding struct {
	*contract.Session
	center *EventCenter
	base   string
	http   *http.Client
	bearer string
}

// forwardCase is one sentence about the event center.
type forwardCase struct {
	name string
	run  func(*testing.T, *forwarding)
}

// forwardArea is a group of them.
type forwardArea struct {
	name  string
	cases []forwardCase
}

func forwardAreas() []forwardArea {
	return []forwardArea{
		{"requests", forwardRequestCases()},
		{"headers", forwardHeaderCases()},
		{"answers", forwardAnswerCases()},
		{"faults", forwardFaultCases()},
		{"hostile", forwardHostileCases()},
	}
}

// RunEventCenter checks what a target forwards to an event center, whose Settings it has.
func RunEventCenter(t *testing.T, target contract.Target, center *EventCenter) {
	t.Helper()
	f := &forwarding{Session: contract.Open(t, target), center: center}
	base, client, header := f.Access(t)
	f.base, f.http, f.bearer = base, client, header.Get("Authorization")
	for _, a := range forwardAreas() {
		t.Run(a.name, func(t *testing.T) {
			for _, c := range a.cases {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(t, f)
				})
			}
		})
	}
}

// limited is a context for a request that may not take for ever.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	t.Cleanup(cancel)
	return ctx
}

// soon waits for something that is about to happen.
func soon[T any](t *testing.T, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatalf("%s: not within %s", what, patience)
	}
	return v
}
