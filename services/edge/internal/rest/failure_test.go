package rest_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/topic"
)

func TestFailureOfACall(t *testing.T) {
	const away = "the service is not available, try again later"
	tests := map[string]struct {
		err    error
		status int
		msg    string
		retry  string
		logged string
	}{
		"invalid":      {status.Error(codes.InvalidArgument, "title must not be empty"), 400, "title must not be empty", "", ""},
		"not found":    {status.Error(codes.NotFound, "no such todo"), 404, "no such todo", "", ""},
		"conflict":     {status.Error(codes.FailedPrecondition, "the todo is INVALID"), 409, "the todo is INVALID", "", ""},
		"forbidden":    {status.Error(codes.PermissionDenied, "not yours"), 403, "not yours", "", ""},
		"stale token":  {status.Error(codes.Unauthenticated, "access token is not valid"), 401, "access token is not valid", "", ""},
		"exhausted":    {status.Error(codes.ResourceExhausted, "secret"), 429, "too many requests, try again later", "1", "WARN"},
		"unavailable":  {status.Error(codes.Unavailable, "dial tcp secret"), 503, away, "1", "WARN"},
		"hub stopped":  {status.Error(codes.Canceled, "secret"), 503, away, "1", "WARN"},
		"too slow":     {status.Error(codes.DeadlineExceeded, "secret"), 504, "the call took too long", "", "WARN"},
		"own too slow": {context.DeadlineExceeded, 504, "the call took too long", "", "WARN"},
		"internal":     {status.Error(codes.Internal, "secret"), 500, "internal error", "", "ERROR"},
		"unknown":      {status.Error(codes.Unknown, "secret"), 500, "internal error", "", "ERROR"},
		"no method":    {status.Error(codes.Unimplemented, "secret"), 500, "internal error", "", "ERROR"},
		"no status":    {errors.New("secret"), 500, "internal error", "", "ERROR"},
		"odd code":     {status.Error(codes.Code(77), "secret"), 500, "internal error", "", "ERROR"},
	}
	for name, tt := range tests {
		for _, masked := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				f := newFront(t, func(d *rest.Deps) { d.MaskErrors = masked })
				f.hub.err = tt.err
				w := f.send(t, "POST", "/todo-hub/todos/T1/clear", "{}")
				want := tt.status
				if masked && want != 401 && want != 403 {
					want = 200
				}
				wantMessage(t, w, want, tt.msg)
				wantHeader(t, w, "Retry-After", tt.retry)
				wantLength(t, w)
				causes := f.causes()
				if lines := strings.Count(causes, "\n"); tt.logged == "" && lines != 0 || tt.logged != "" && lines != 1 {
					t.Errorf("%d log lines: %s", lines, causes)
				}
				if !strings.Contains(causes, tt.logged) {
					t.Errorf("log %s, want level %s", causes, tt.logged)
				}
				challenge := ""
				if tt.status == 401 {
					challenge = `Bearer realm="hub", error="invalid_token"`
				}
				wantHeader(t, w, "WWW-Authenticate", challenge)
			})
		}
	}
}

func TestClientThatIsGone(t *testing.T) {
	f := newFront(t)
	ctx, cancel := context.WithCancel(t.Context())
	f.hub.before = func(context.Context) { cancel() }
	f.hub.err = status.Error(codes.Canceled, "context canceled")
	r := httptest.NewRequestWithContext(ctx, "GET", "/todo-hub/todos", nil)
	r.Header.Set("Authorization", "Bearer good")
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	if w.Code != 499 || f.causes() != "" {
		t.Errorf("status %d, log %s", w.Code, f.log)
	}
}

func TestMaskedErrorsOfTheFront(t *testing.T) {
	f := newFront(t, func(d *rest.Deps) { d.MaskErrors = true })
	wantFailure(t, f.send(t, "GET", "/nothing", ""), 200)
	w := f.send(t, "PUT", "/todo-hub/todos", "")
	wantFailure(t, w, 200)
	wantHeader(t, w, "Allow", "GET, POST")
	wantFailure(t, f.send(t, "POST", "/todo-hub/todos", "["), 200)
	wantFailure(t, f.send(t, "POST", "/todo-hub/todos", "[]", "Content-Type", "text/plain"), 200)
	wantFailure(t, f.send(t, "GET", "/message-hub/stream", ""), 200)
	wantFailure(t, f.send(t, "GET", "/todo-hub/todos", "", "Authorization", ""), 401)
	wantFailure(t, f.send(t, "GET", "/todo-hub/todos", "", "Authorization", "Bearer poor"), 403)
}

func TestPanic(t *testing.T) {
	t.Run("becomes a failure and a log line", func(t *testing.T) {
		f := newFront(t)
		f.hub.before = func(context.Context) { panic("secret") }
		wantMessage(t, f.send(t, "POST", "/todo-hub/todos", "{}"), 500, "internal error")
		if log := f.causes(); strings.Count(log, "\n") != 1 || !strings.Contains(log, "failure_test.go") {
			t.Errorf("log %s", log)
		}
	})
	t.Run("cuts an answer that has begun", func(t *testing.T) {
		f := newFront(t, func(d *rest.Deps) { d.Streams = brokenStreams{} })
		defer func() {
			if v := recover(); v != any(http.ErrAbortHandler) {
				t.Errorf("panicked with %v", v)
			}
		}()
		f.send(t, "GET", "/message-hub/stream?user=amy", "")
		t.Error("did not panic")
	})
	t.Run("that aborts goes on", func(t *testing.T) {
		f := newFront(t)
		f.hub.before = func(context.Context) { panic(http.ErrAbortHandler) }
		defer func() {
			if v := recover(); v != any(http.ErrAbortHandler) || f.causes() != "" {
				t.Errorf("panicked with %v, log %s", v, f.log)
			}
		}()
		f.send(t, "POST", "/todo-hub/todos", "{}")
		t.Error("did not panic")
	})
}

type brokenStreams struct{}

func (brokenStreams) Serve(http.ResponseWriter, *http.Request, string, topic.Set) error {
	panic("broken")
}
