package shape_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/hub/test/shape"
)

// patience is longer than edges take to compare their streams, which makes up for what they did not hear of.
const patience = time.Minute

// caller makes calls through one edge.
type caller struct {
	base, token string
	client      *http.Client
}

func newCaller(t *testing.T, edge shape.Address) caller {
	t.Helper()
	return newCallerWith(t, "http://"+edge.Public, http.DefaultClient)
}

func newCallerWith(t *testing.T, base string, client *http.Client) caller {
	t.Helper()
	token, err := shape.Token(t.Context(), client, base)
	if err != nil {
		t.Fatal(err)
	}
	return caller{base, token, client}
}

func (c caller) do(ctx context.Context, t *testing.T, method, path, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	resp, err := c.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		t.Fatalf("%s %s: %s %s", method, path, resp.Status, text)
	}
	return resp
}

func (c caller) push(t *testing.T, id, user string) {
	t.Helper()
	c.do(t.Context(), t, http.MethodPost, "/message-hub/messages",
		fmt.Sprintf(`{"sourceMessageId":%q,"targetUsernames":[%q],"title":"t","content":"c"}`, id, user))
}

// watch opens a user's stream.
func (c caller) watch(t *testing.T, user string) *watcher {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	resp := c.do(ctx, t, http.MethodGet, "/message-hub/stream?user="+url.QueryEscape(user), "")
	w := &watcher{lines: bufio.NewReader(resp.Body)}
	if first, err := w.lines.ReadString('\n'); err != nil || first != "retry: 3000\n" {
		t.Fatalf("the stream begins with %q, %v", first, err)
	}
	return w
}

type watcher struct{ lines *bufio.Reader }

// wants waits for a line that begins so and is no heartbeat's; io.EOF is the end of the stream.
func (w *watcher) wants(t *testing.T, event string) {
	t.Helper()
	for {
		line, err := w.lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream ended before %q: %v", event, err)
		}
		if line == "event: "+event+"\n" {
			return
		}
		if strings.HasPrefix(line, "event: ") && line != "event: heartbeat\n" {
			t.Fatalf("got %q, want %q", line, event)
		}
	}
}

// ends waits until the stream is over: nil is an end, and an io.ErrUnexpectedEOF is a cut.
func (w *watcher) ends(t *testing.T, want error) {
	t.Helper()
	if _, err := io.Copy(io.Discard, w.lines); !errors.Is(err, want) {
		t.Fatalf("the stream ended with %v, want %v", err, want)
	}
}

func TestEventsCrossReplicas(t *testing.T) {
	t.Parallel()
	s := start(t)
	one, two := newCaller(t, s.edges[0]), newCaller(t, s.edges[1])
	stream := two.watch(t, "alice")
	for i := range 4 { // calls take turns between the hubs
		id := fmt.Sprintf("m-%d", i)
		one.push(t, id, "alice")
		stream.wants(t, "message")
		one.do(t.Context(), t, http.MethodPost, "/message-hub/messages/"+id+"/read?username=alice", "")
		stream.wants(t, "read")
	}
}

func TestANewConnectionReplacesOneOnAnotherEdge(t *testing.T) {
	t.Parallel()
	s := start(t)
	one, two := newCaller(t, s.edges[0]), newCaller(t, s.edges[1])
	old := one.watch(t, "alice")
	renewed := two.watch(t, "alice")
	old.ends(t, nil)
	one.push(t, "m", "alice")
	renewed.wants(t, "message")
}

func TestClientsTellAnEdgeThatStopsFromOneThatDies(t *testing.T) {
	t.Parallel()
	s := start(t, "HUB_DRAIN_DELAY=0s", "HUB_DRAIN_SPREAD=0s")
	stopped := newCaller(t, s.edges[0]).watch(t, "alice")
	died := newCaller(t, s.edges[1]).watch(t, "bob")
	if err := s.Replica("edge-1").Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	stopped.ends(t, nil)
	s.Replica("edge-2").Kill()
	died.ends(t, io.ErrUnexpectedEOF)
}

// TestReplicasKnowThatRedisIsBack has events all the time, which leave edges little reason to probe the bus.
func TestReplicasKnowThatRedisIsBack(t *testing.T) {
	t.Parallel()
	var onTheBus []shape.Address
	s := startWith(t, func(cfg *shape.Config) { onTheBus = slices.Concat(cfg.Edges, cfg.Hubs["messagehub"]) })
	one, pushes := newCaller(t, s.edges[0]), 0
	all := func(want string) {
		t.Helper()
		for _, replica := range onTheBus {
			becomes(t, "hub_bus_up at "+replica.Admin, want, func() string {
				pushes++
				one.push(t, fmt.Sprintf("m-%d", pushes), "alice")
				return metric(t, replica, "hub_bus_up")
			})
		}
	}
	all("1")
	s.Redis.Kill()
	all("0")
	if err := s.Redis.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	all("1")
}
