package rest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/counts"
)

// counted is a front with a hub of each area, which know the counts of amy.
type counted struct {
	*front
	todos, messages *hub
}

func newCounted(t *testing.T, change ...func(*rest.Deps)) counted {
	t.Helper()
	c := counted{
		todos: &hub{reply: &todov1.CountTodosResponse{
			ToHandle: proto.Int64(3), ToRead: proto.Int64(2), Overdue: proto.Int64(0), Done: proto.Int64(1 << 40), Read: proto.Int64(5),
		}},
		messages: &hub{reply: &messagev1.CountUnreadResponse{Count: 7}},
	}
	c.front = newFront(t, append([]func(*rest.Deps){func(d *rest.Deps) {
		d.Areas = []rest.Area{counts.Area(limitedHub{c.todos}, limitedHub{c.messages})}
	}}, change...)...)
	return c
}

const countsOfAmy = "/counts?username=amy"

func TestCountsAskEachHubOnce(t *testing.T) {
	usual := []todov1.TodoList{todov1.TodoList_TODO_LIST_TO_HANDLE, todov1.TodoList_TODO_LIST_TO_READ, todov1.TodoList_TODO_LIST_OVERDUE}
	for lists, tt := range map[string]struct {
		data   string
		todos  []todov1.TodoList
		unread bool
	}{
		"":                   {`{"toHandle":3,"toRead":2,"overdue":0,"unread":7}`, usual, true},
		"unread,unread":      {`{"unread":7}`, nil, true},
		"read,done,read":     {`{"done":1099511627776,"read":5}`, []todov1.TodoList{todov1.TodoList_TODO_LIST_DONE, todov1.TodoList_TODO_LIST_READ}, false},
		"unread,toHandle":    {`{"toHandle":3,"unread":7}`, usual[:1], true},
		"overdue,toRead":     {`{"toRead":2,"overdue":0}`, usual[1:], false},
		"toRead,toRead,read": {`{"toRead":2,"read":5}`, []todov1.TodoList{todov1.TodoList_TODO_LIST_TO_READ, todov1.TodoList_TODO_LIST_READ}, false},
	} {
		c := newCounted(t)
		w := c.send(t, http.MethodGet, countsOfAmy+"&lists="+lists, "")
		if want := `{"code":"0","msg":"ok","data":` + tt.data + "}\n"; w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("%q: %d %s, want %s", lists, w.Code, w.Body, want)
		}
		wantHeader(t, w, "RateLimit", `"writes";r=1;t=2`)
		want, asked := &todov1.CountTodosRequest{Username: "amy", Lists: tt.todos}, c.todos.request
		if (len(tt.todos) > 0) != (c.todos.calls == 1) || asked != nil && !proto.Equal(asked, want) {
			t.Errorf("%q: %d calls of todohub: %v", lists, c.todos.calls, asked)
		}
		if tt.unread != (c.messages.calls == 1) {
			t.Errorf("%q: %d calls of messagehub", lists, c.messages.calls)
		}
	}
}

func TestCountsAskTheHubsAtTheSameTime(t *testing.T) {
	c := newCounted(t)
	meet := make(chan struct{})
	c.todos.before = func(ctx context.Context) {
		select {
		case meet <- struct{}{}:
		case <-ctx.Done():
			t.Error("messagehub is not asked meanwhile")
		}
	}
	c.messages.before = func(ctx context.Context) {
		select {
		case <-meet:
		case <-ctx.Done():
		}
	}
	if w := c.send(t, http.MethodGet, countsOfAmy, ""); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestCountsAreAllOrNone(t *testing.T) {
	for code, want := range map[codes.Code]int{
		codes.Unavailable: 503, codes.DeadlineExceeded: 503, codes.Unimplemented: 503, codes.Internal: 500, codes.InvalidArgument: 400,
		codes.PermissionDenied: 403, codes.Unauthenticated: 401,
	} {
		for _, fails := range []func(counted) *hub{
			func(c counted) *hub { return c.todos }, func(c counted) *hub { return c.messages },
		} {
			c := newCounted(t)
			fails(c).err = status.Error(code, "a reason")
			w := c.send(t, http.MethodGet, countsOfAmy, "", "If-None-Match", "*")
			wantFailure(t, w, want)
			wantHeader(t, w, "ETag", "")
			wantHeader(t, w, "Cache-Control", "no-store")
			wantHeader(t, w, "RateLimit", `"writes";r=1;t=2`)
			if want == 503 {
				wantHeader(t, w, "Retry-After", "1")
			}
		}
	}
	c := newCounted(t)
	c.messages.err = overLimit(t, 2*time.Second)
	w := c.send(t, http.MethodGet, countsOfAmy, "")
	wantFailure(t, w, http.StatusTooManyRequests)
	wantHeader(t, w, "Retry-After", "2")
}

// TestCountsOfASlowHub has a hub that does not answer, and the other one that fails meanwhile.
func TestCountsOfASlowHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, broken := range []bool{false, true} {
			c := newCounted(t)
			c.todos.before = func(ctx context.Context) {
				<-ctx.Done()
				c.todos.err = status.FromContextError(ctx.Err()).Err()
			}
			want := 5 * time.Second
			if broken {
				c.messages.err, want = status.Error(codes.Unavailable, "away"), 0
			}
			began := time.Now()
			w := c.send(t, http.MethodGet, countsOfAmy, "")
			wantFailure(t, w, http.StatusServiceUnavailable)
			if took := time.Since(began); took != want {
				t.Errorf("the answer took %v, want %v", took, want)
			}
		}
	})
}

func TestCountsAreNotSentAgain(t *testing.T) {
	s := &sessions{}
	c := newCounted(t, withUsers(s), allow(listed))
	whole := c.send(t, http.MethodGet, countsOfAmy, "")
	tag := whole.Header().Get("ETag")
	for name, headers := range map[string][]string{
		"client":  {},
		"session": {"Authorization", "", "Cookie", "session=amy"},
		"origin":  {"Origin", listed},
	} {
		w := c.send(t, http.MethodGet, countsOfAmy, "", append(headers, "If-None-Match", tag)...)
		if w.Code != http.StatusNotModified || w.Body.Len() != 0 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		wantHeader(t, w, "ETag", tag)
		wantHeader(t, w, "Cache-Control", "private, no-cache")
		wantHeader(t, w, "Vary", "Origin")
		wantHeader(t, w, "Content-Type", "")
		if name == "session" {
			wantHeader(t, w, "Set-Cookie", "session=renewed")
			wantHeader(t, w, "Cross-Origin-Resource-Policy", "same-origin")
		}
		if name == "origin" {
			wantHeader(t, w, "Access-Control-Allow-Origin", listed)
			if exposed := w.Header().Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "Etag") {
				t.Errorf("exposed are %s", exposed)
			}
		}
	}
	c.messages.reply = &messagev1.CountUnreadResponse{Count: 8}
	if w := c.send(t, http.MethodGet, countsOfAmy, "", "If-None-Match", tag); w.Code != http.StatusOK || w.Header().Get("ETag") == tag {
		t.Errorf("other counts: %d with the tag %s", w.Code, w.Header().Get("ETag"))
	}
}
