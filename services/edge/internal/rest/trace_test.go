package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/log"
	"example.com/hub/pkg/telemetry/requestid"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/pkg/telemetry/tracing/tracingtest"
	"example.com/hub/services/edge/internal/rest"
)

// TestSpansOfRequests looks at the names, which are those of the routes, and for what must not be there.
func TestSpansOfRequests(t *testing.T) {
	tracer, end := tracingtest.Open(t)
	f := newFront(t, func(d *rest.Deps) { d.Tracer = tracer })
	const caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	f.send(t, "GET", "/message-hub/inbox?username=amy", "", "Traceparent", caller)
	f.send(t, "POST", "/todo-hub/todos/amy/clear", `{"todoId":"amy","result":"amy"}`)
	f.send(t, "GET", "/message-hub/stream?user=amy", "")
	f.send(t, "GET", "/message-hub/inbox", "", "Authorization", "Bearer amy")
	f.send(t, "GET", "/amy", "")
	f.hub.err = status.Error(codes.Unavailable, "the database of amy is busy")
	f.send(t, "GET", "/message-hub/unread-count?username=amy", "")

	spans := end()
	var got []string
	for _, s := range spans {
		got = append(got, fmt.Sprint(s.Name, " ", s.Kind, " ", s.Attributes["http.response.status_code"], " ", s.Attributes["hub.client_id"], " ", s.Failed))
		if strings.Contains(fmt.Sprint(s), "amy") {
			t.Errorf("what a caller sent is in %+v", s)
		}
	}
	want := []string{
		"GET /message-hub/inbox server int_value:200 erp false",
		"POST /todo-hub/todos/{todoId}/clear server int_value:200 erp false",
		"GET /message-hub/stream server int_value:200 erp false",
		"GET /message-hub/inbox server int_value:401  false",
		"HTTP server int_value:404  false",
		"GET /message-hub/unread-count server int_value:503 erp true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if s := spans[0]; s.Trace != caller[3:35] || s.Parent != caller[36:52] {
		t.Errorf("the caller's trace does not go on: %+v", s)
	}
}

// TestLinesOfATracedRequestHaveItsTrace looks at the access log and at the line of a cause.
func TestLinesOfATracedRequestHaveItsTrace(t *testing.T) {
	tracer, end := tracingtest.Open(t)
	f := newFront(t, func(d *rest.Deps) { d.Tracer = tracer })
	f.hub.before = func(ctx context.Context) {
		if _, _, ok := tracing.IDs(ctx); !ok {
			t.Error("the call is not traced")
		}
	}
	f.hub.err = status.Error(codes.Internal, "cause")
	f.send(t, "GET", "/todo-hub/todos", "")
	span := end()[0]
	lines := f.lines(t)
	if len(lines) != 2 {
		t.Fatalf("%d lines: %s", len(lines), f.log)
	}
	for _, line := range lines {
		if line["trace_id"] != span.Trace || line["span_id"] != span.ID {
			t.Errorf("line %v, want trace %s and span %s", line, span.Trace, span.ID)
		}
	}
}

// TestAccessLogShowsAShareOfSuccesses sends requests of ten ids to fronts of several shares.
func TestAccessLogShowsAShareOfSuccesses(t *testing.T) {
	for _, share := range []log.Sample{0, 0.5, 1} {
		f := newFront(t, func(d *rest.Deps) { d.Access = share })
		for n := range 10 {
			id := fmt.Sprint("r-", n)
			f.send(t, "GET", "/todo-hub/todos", "", requestid.Header, id)
			f.send(t, "GET", "/todo-hub/todos", "", requestid.Header, id, "Authorization", "")
			want := share.Level(requestid.With(t.Context(), id)).String()
			lines := f.lines(t)
			success, failure := lines[2*n], lines[2*n+1]
			if success["status"] != float64(http.StatusOK) || success["level"] != want || failure["level"] != "INFO" {
				t.Errorf("share %v, %s: %v and %v, want the levels %s and INFO", float64(share), id, success, failure, want)
			}
		}
	}
}
