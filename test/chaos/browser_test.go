package chaos

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"sync"
	"testing"
	"time"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/test/shape"
)

// browser is one of amy's, logged in; edges are the same to its cookies.
type browser struct {
	client *http.Client
	jar    http.CookieJar
}

// logIn gives a browser that has a session, by the demo provider, which the first edge is.
func (st *stage) logIn() *browser {
	st.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		st.t.Fatal(err)
	}
	b := &browser{client: &http.Client{Jar: jar, Timeout: callTimeout}, jar: jar}
	st.t.Cleanup(b.client.CloseIdleConnections)
	address := "http://" + st.edges[0].Public + "/portal/login"
	for range 2 { // the page to choose from, and the choice
		resp, err := b.client.Get(address)
		if err != nil {
			st.t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			st.t.Fatalf("the login ends with %s at %s", resp.Status, resp.Request.URL.Path)
		}
		address = resp.Request.URL.String() + "&user=amy"
	}
	return b
}

// me asks an edge who one is, as a page of Hub's own does.
func (b *browser) me(ctx context.Context, edge shape.Address) (status int, err error) {
	return b.ask(ctx, http.MethodGet, edge, "/portal/me", true)
}

// ask makes a call with the session. It keeps the cookies of the answer, or those that it has.
func (b *browser) ask(ctx context.Context, method string, edge shape.Address, path string, keep bool) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+edge.Public+path, http.NoBody)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	client := b.client
	if !keep {
		for _, c := range b.jar.Cookies(req.URL) {
			req.AddCookie(c)
		}
		client = &http.Client{Timeout: callTimeout}
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode, err
}

// seen is what was answered, by status.
type seen map[int]answers

// String counts them.
func (s seen) String() string {
	counts := map[int]int{}
	for status, a := range s {
		counts[status] = a.n
	}
	return fmt.Sprint(counts)
}

// answers are those of one status.
type answers struct {
	n           int
	first, last time.Time
}

// wants demands that answers of one status came, and no others.
func (s seen) wants(t *testing.T, status int) {
	t.Helper()
	if len(s) != 1 || s[status].n == 0 {
		t.Errorf("the answers are not all %d: %v", status, s)
	}
}

// watch are browsers that ask the edges in turns.
type watch struct {
	st   *stage
	mu   sync.Mutex
	seen seen
}

// browse has n browsers ask until the test is over.
func (st *stage) browse(n int) *watch {
	st.t.Helper()
	w := &watch{st: st, seen: seen{}}
	ctx, cancel := context.WithCancel(st.t.Context())
	var asking sync.WaitGroup
	st.t.Cleanup(func() { cancel(); asking.Wait() })
	for range n {
		b := st.logIn()
		asking.Go(func() {
			for i := 0; lifecycle.Sleep(ctx, 200*time.Millisecond); i++ {
				begun := time.Now()
				if status, err := b.me(ctx, st.edges[i%len(st.edges)]); err == nil { // else the edge is starting again
					w.note(begun, status)
				}
			}
		})
	}
	return w
}

func (w *watch) note(at time.Time, status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.seen[status]
	if a.n++; a.n == 1 {
		a.first = at
	}
	a.last = at
	w.seen[status] = a
}

// take gives what was answered since the last time.
func (w *watch) take() seen {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.seen
	w.seen = seen{}
	return s
}

// during gives what is answered while something happens.
func (w *watch) during(what string, happens func()) seen {
	w.st.t.Helper()
	w.take()
	happens()
	s := w.take()
	w.st.t.Logf("%s: %v", what, s)
	return s
}

// restartEdges gives what is answered while all edges start again, one after the other.
func (w *watch) restartEdges() seen {
	w.st.t.Helper()
	return w.during("all edges start again", func() {
		for _, name := range []string{"edge-1", "edge-2"} {
			w.st.Replica(name).Stop()
			w.st.again(name)
			w.st.rest(validity)
		}
	})
}

// away takes all portalhubs away until nobody's session goes on, and brings them back.
func (w *watch) away(t *testing.T, what string, gone, back func()) {
	t.Helper()
	w.st.rest(validity) // so that every cookie is of now
	var begun time.Time
	s := w.during(what, func() {
		begun = time.Now()
		gone()
		w.st.rest(validity + validity/2)
	})
	if len(s) != 2 || s[http.StatusOK].n == 0 || s[http.StatusServiceUnavailable].n == 0 {
		t.Errorf("%s: the answers are not 200 and then 503: %v", what, s)
	}
	if good := s[http.StatusServiceUnavailable].first.Sub(begun); good < validity/2-2*time.Second { // a browser may ask late
		t.Errorf("%s: sessions go on for %v, want half of %v", what, good, validity)
	}
	if good := s[http.StatusOK].last.Sub(begun); good > validity+time.Second {
		t.Errorf("%s: sessions go on for %v, want at most %v", what, good, validity)
	}
	back()
	w.st.wait(15*time.Second, "sessions go on", func() bool {
		w.take()
		w.st.rest(time.Second)
		s := w.take()
		return len(s) == 1 && s[http.StatusOK].n > 0
	})
	w.during(what+", and are back", func() { w.st.rest(validity) }).wants(t, http.StatusOK)
}
