package rest_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"example.com/hub/pkg/ratelimit"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/todo"
)

// limitedHub says with every answer what is left of the client's limit.
type limitedHub struct{ *hub }

func (h limitedHub) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	for _, o := range opts {
		if header, ok := o.(grpc.HeaderCallOption); ok {
			*header.HeaderAddr = metadata.Pairs("ratelimit-policy", `"writes";q=4;w=2`, "ratelimit", `"writes";r=1;t=2`, "x-inner", "secret")
		}
	}
	return h.hub.Invoke(ctx, method, args, reply, opts...)
}

func newLimitedFront(t *testing.T, change ...func(*rest.Deps)) *front {
	t.Helper()
	h := &hub{}
	f := newFront(t, append([]func(*rest.Deps){func(d *rest.Deps) { d.Areas = []rest.Area{todo.Area(limitedHub{h})} }}, change...)...)
	f.hub = h
	return f
}

func overLimit(t *testing.T, wait time.Duration) error {
	t.Helper()
	st, err := status.New(codes.ResourceExhausted, "too many writes, try again in 2 s").
		WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(wait)})
	if err != nil {
		t.Fatal(err)
	}
	return st.Err()
}

func TestAnswersTellWhatIsLeftOfTheLimit(t *testing.T) {
	for name, err := range map[string]error{
		"success": nil, "failure": status.Error(codes.InvalidArgument, "title must not be empty"),
	} {
		t.Run(name, func(t *testing.T) {
			f := newLimitedFront(t)
			f.hub.err = err
			w := f.send(t, http.MethodPost, "/todo-hub/todos", "{}")
			wantHeader(t, w, "RateLimit-Policy", `"writes";q=4;w=2`)
			wantHeader(t, w, "RateLimit", `"writes";r=1;t=2`)
			wantHeader(t, w, "Retry-After", "")
			if strings.Contains(strings.ToLower(w.Result().Header.Get("X-Inner")+w.Body.String()), "secret") {
				t.Errorf("other metadata came through: %v", w.Result().Header)
			}
		})
	}
	w := newFront(t).send(t, http.MethodPost, "/todo-hub/todos", "{}")
	wantHeader(t, w, "RateLimit-Policy", "")
	wantHeader(t, w, "RateLimit", "")
}

func TestClientOverItsLimit(t *testing.T) {
	for _, tt := range []struct {
		name   string
		wait   time.Duration
		masked bool
		status int
		after  string
	}{
		{"whole seconds", 2 * time.Second, false, http.StatusTooManyRequests, "2"},
		{"rounded up", 2*time.Second + time.Millisecond, false, http.StatusTooManyRequests, "3"},
		{"at least 1", time.Millisecond, false, http.StatusTooManyRequests, "1"},
		{"with masked statuses", 2 * time.Second, true, http.StatusOK, "2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newLimitedFront(t, func(d *rest.Deps) { d.MaskErrors = tt.masked })
			f.hub.err = overLimit(t, tt.wait)
			w := f.send(t, http.MethodPost, "/todo-hub/todos", "{}")
			wantMessage(t, w, tt.status, "too many writes, try again in 2 s")
			wantHeader(t, w, "Retry-After", tt.after)
			wantHeader(t, w, "RateLimit", `"writes";r=1;t=2`)
			if causes := f.causes(); causes != "" {
				t.Errorf("a line for each refused call: %s", causes)
			}
		})
	}
}

// TestWhatElseIsExhausted is a limit of gRPC, whose text is not for callers.
func TestWhatElseIsExhausted(t *testing.T) {
	f := newLimitedFront(t)
	f.hub.err = status.Error(codes.ResourceExhausted, "grpc: received message larger than max (9 vs. 4)")
	w := f.send(t, http.MethodPost, "/todo-hub/todos", "{}")
	wantMessage(t, w, http.StatusTooManyRequests, "too many requests, try again later")
	wantHeader(t, w, "Retry-After", "1")
	if !strings.Contains(f.causes(), "received message larger than max") {
		t.Errorf("the cause is not in the log: %s", f.causes())
	}
}

// TestOpeningAStreamIsARead allows two streams, or one with a call before it.
func TestOpeningAStreamIsARead(t *testing.T) {
	now := time.Unix(1_900_000_000, 0)
	limiter := ratelimit.New(ratelimit.Config{Reads: 1, Burst: 2 * time.Second}, ratelimit.Deps{
		Clock: func() time.Time { return now },
	})
	f := newFront(t, func(d *rest.Deps) { d.Limiter = limiter })
	const target = "/message-hub/stream?user=amy"

	// What is refused before the stream is opened costs nothing.
	wantFailure(t, f.send(t, http.MethodGet, "/message-hub/stream?user=", ""), http.StatusBadRequest)
	wantFailure(t, f.send(t, http.MethodGet, target, "", "Authorization", ""), http.StatusUnauthorized)

	for _, state := range []string{`"reads";r=1;t=1`, `"reads";r=0;t=2`} {
		w := f.send(t, http.MethodGet, target, "")
		wantHeader(t, w, "RateLimit-Policy", `"reads";q=2;w=2`)
		wantHeader(t, w, "RateLimit", state)
	}
	if f.streams.calls != 2 {
		t.Fatalf("%d streams were opened, want 2", f.streams.calls)
	}

	for range 20 {
		w := f.send(t, http.MethodGet, target, "")
		if w.Code != http.StatusOK {
			t.Fatalf("status %d, for which an EventSource gives up", w.Code)
		}
		wantHeader(t, w, "Content-Type", "text/event-stream")
		wantHeader(t, w, "Connection", "close")
		wantHeader(t, w, "RateLimit", `"reads";r=0;t=1`)
		first, event, _ := strings.Cut(w.Body.String(), "\n")
		if !strings.HasPrefix(event, "event: heartbeat\ndata: {") || !strings.HasSuffix(event, "}\n\n") {
			t.Errorf("a retry that belongs to %q", event)
		}
		text, _ := strings.CutPrefix(first, "retry: ")
		ms, err := strconv.Atoi(text)
		if err != nil || ms < 3000 || ms >= 6000 {
			t.Errorf("the client is told %q", w.Body)
		}
		if after := w.Header().Get("Retry-After"); after != strconv.Itoa((ms+999)/1000) {
			t.Errorf("Retry-After %s for %d ms", after, ms)
		}
	}
	if f.streams.calls != 2 || limiter.Stats().RefusedReads != 20 {
		t.Errorf("%d streams were opened, stats %+v", f.streams.calls, limiter.Stats())
	}
}
