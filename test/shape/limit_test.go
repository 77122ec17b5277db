package shape_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// send makes a call that may be refused.
func (c caller) send(t *testing.T, method, path, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

// spend makes writes in both areas through both edges, so that all replicas of the hubs get some, and
// counts those that were granted. Any other answer than 200 and 429 fails the test.
func spend(t *testing.T, calls int, edges ...caller) (granted int) {
	t.Helper()
	for i := range calls {
		c := edges[i%2]
		path, body := "/todo-hub/todos", fmt.Sprintf(`{"todoId":"t-%d","type":"HANDLE","sourceBizId":"1",
			"assigneeUsername":"amy","title":"t","category":"c","actionUrl":"/a"}`, i)
		if i%4 < 2 {
			path, body = "/message-hub/messages", fmt.Sprintf(`{"sourceMessageId":"m-%d","targetUsernames":["amy"],"title":"t","content":"c"}`, i)
		}
		switch resp, text := c.send(t, http.MethodPost, path, body); resp.StatusCode {
		case http.StatusOK:
			granted++
		case http.StatusTooManyRequests:
			if resp.Header.Get("Retry-After") == "" || !strings.Contains(text, `"msg":"too many writes, try again in `) {
				t.Errorf("%s: %v", text, resp.Header)
			}
		default:
			t.Fatalf("%s %s: %s %s", http.MethodPost, path, resp.Status, text)
		}
		if resp, text := c.send(t, http.MethodGet, "/message-hub/unread-count?username=amy", ""); resp.StatusCode != http.StatusOK {
			t.Fatalf("a read, which has no limit: %s %s", resp.Status, text)
		}
	}
	return granted
}

func TestReplicasShareTheLimits(t *testing.T) {
	t.Parallel()
	s := start(t, "HUB_LIMIT_WRITES=1", "HUB_LIMIT_BURST=1m")
	one, two := newCaller(t, s.edges[0]), newCaller(t, s.edges[1])
	begin := time.Now()
	granted := spend(t, 140, one, two)
	if most := 60 + int(time.Since(begin).Seconds()) + 1; granted < 60 || granted > most {
		t.Errorf("%d writes were granted, want 60 to %d", granted, most)
	}

	// Without Redis each replica goes on alone, from what it knew last. No call fails.
	s.Redis.Stop()
	begin = time.Now()
	granted = spend(t, 40, one, two)
	if most := 4 * (2 + int(time.Since(begin).Seconds())); granted > most {
		t.Errorf("%d writes were granted without Redis, want at most %d", granted, most)
	}
}

func TestStreamsAreReadsOfTheSharedLimit(t *testing.T) {
	t.Parallel()
	s := start(t, "HUB_LIMIT_READS=1", "HUB_LIMIT_BURST=10s")
	edges := []caller{newCaller(t, s.edges[0]), newCaller(t, s.edges[1])}
	begin := time.Now()
	refused, reads := 0, 0
	for i := 0; refused == 0; i++ {
		if reads > 100 {
			t.Fatal("there is no limit")
		}
		resp, text := edges[i%2].send(t, http.MethodGet, "/message-hub/unread-count?username=amy", "")
		switch resp.StatusCode {
		case http.StatusOK:
			reads++
		case http.StatusTooManyRequests:
			refused++
		default:
			t.Fatalf("%s %s", resp.Status, text)
		}
	}
	if most := 10 + int(time.Since(begin).Seconds()) + 1; reads > most {
		t.Errorf("%d reads were granted, want at most %d", reads, most)
	}
	// The reads of the hubs leave nothing for the streams of the edges, but for what comes meanwhile.
	for i := 0; edges[i%2].first(t) == "retry: 3000"; i++ {
		if i > 20 {
			t.Fatal("streams have no limit")
		}
	}
}

// first opens a stream and gives its first line.
func (c caller) first(t *testing.T) string {
	t.Helper()
	resp := c.do(t.Context(), t, http.MethodGet, "/message-hub/stream?user=amy", "")
	line, err := bufio.NewReader(resp.Body).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}
