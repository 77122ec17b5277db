package redisbus_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/pkg/redis/redistest"
	"example.com/hub/pkg/telemetry/tracing/tracingtest"
)

// TestPublicationsOfATracedCallAreSpans publishes what Redis takes, what a full queue refuses and what finds
// no Redis. The span ends when that is known.
func TestPublicationsOfATracedCallAreSpans(t *testing.T) {
	for name, tt := range map[string]struct {
		address func(testing.TB) string
		queue   int
		frames  int
		timeout time.Duration
		failed  []bool
	}{
		"taken":         {redistest.URL, 0, 2, patience, []bool{false, false}},
		"a large one":   {redistest.URL, 0, 1, patience, []bool{false}},
		"queue is full": {silentServer, 1000, 2, 200 * time.Millisecond, []bool{true, true}},
		"not answered":  {silentServer, 0, 1, 200 * time.Millisecond, []bool{true}},
	} {
		t.Run(name, func(t *testing.T) {
			tracer, end := tracingtest.Open(t)
			channel := channelName()
			b := newBus(t, redisbus.Deps{
				Client: newClient(t, tt.address(t)), Name: channel, QueueBytes: tt.queue, Timeout: tt.timeout, Tracer: tracer,
			})
			events := 100
			if name == "a large one" {
				events = 10_000
			}
			ctx, request := tracer.Request(t.Context(), http.Header{})
			for range tt.frames {
				b.Publish(ctx, messages(events))
			}
			b.Publish(t.Context(), messages(1)) // of no request
			request.Answered("POST /message-hub/messages", 200, "erp")
			if err := b.Close(context.WithoutCancel(t.Context())); err != nil {
				t.Fatal(err)
			}
			var failed []bool
			for _, s := range end() {
				if s.Kind != "producer" {
					continue
				}
				failed = append(failed, s.Failed)
				if s.Name != "publish "+channel+":events" || s.Parent == "" || s.Attributes["messaging.batch.message_count"] != fmt.Sprint("int_value:", events) {
					t.Errorf("got %+v", s)
				}
				if strings.Contains(fmt.Sprint(s), "alice") {
					t.Errorf("a user is in %+v", s)
				}
			}
			if !slices.Equal(failed, tt.failed) {
				t.Errorf("failed %v, want %v", failed, tt.failed)
			}
		})
	}
}
