package rest

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"example.com/hub/pkg/ratelimit"
	"example.com/hub/services/edge/internal/front"
	"example.com/hub/services/edge/internal/sse"
)

// limitHeaders are the fields that a hub sends with every answer to a call under a limit, also with a
// refusal.
var limitHeaders = []struct{ header, key string }{
	{ratelimit.PolicyHeader, "ratelimit-policy"},
	{ratelimit.StateHeader, "ratelimit"},
}

// passLimit passes on what the hub says of the client's limit.
func passLimit(ctx context.Context, w http.ResponseWriter, _ proto.Message) error {
	sent, ok := runtime.ServerMetadataFromContext(ctx)
	if !ok {
		return nil
	}
	PassLimit(w, sent.HeaderMD)
	return nil
}

// PassLimit passes on what a hub says of the client's limit in the header of its answer.
func PassLimit(w http.ResponseWriter, sent metadata.MD) {
	for _, field := range limitHeaders {
		if values := sent[field.key]; len(values) > 0 {
			w.Header().Set(field.header, values[0])
		}
	}
}

// overLimit gives the answer to a client over its limit, and sets how long it should wait. It is false
// where something else is exhausted, as gRPC says of a message that is too large.
func overLimit(w http.ResponseWriter, st *status.Status) (front.Failure, bool) {
	for _, detail := range st.Details() {
		if retry, ok := detail.(*errdetails.RetryInfo); ok {
			setRetryAfter(w, retry.GetRetryDelay().AsDuration())
			return front.Failure{Status: http.StatusTooManyRequests, Msg: st.Message()}, true
		}
	}
	return front.Failure{}, false
}

func setRetryAfter(w http.ResponseWriter, d time.Duration) {
	w.Header().Set("Retry-After", strconv.FormatInt(ratelimit.Seconds(d), 10))
}

// minReconnect is the least time that a client is told to stay away whose stream is refused. It is as
// much as it would wait by itself.
const minReconnect = 3 * time.Second

// takeOpening takes the unit that opening a stream or a socket costs. Where it is not there, it gives the
// time to stay away, which is spread, as many of one client may have ended at once.
func (h *Handler) takeOpening(w http.ResponseWriter, r *http.Request) (wait time.Duration, ok bool) {
	if h.limiter == nil {
		return 0, true
	}
	taken := h.limiter.Take(r.Context(), exchangeOf(r.Context()).Client, ratelimit.Reads, 1)
	if taken.Limit.Rate == 0 {
		return 0, true
	}
	w.Header().Set(ratelimit.PolicyHeader, taken.Policy())
	w.Header().Set(ratelimit.StateHeader, taken.State())
	wait = max(taken.RetryAfter, minReconnect)
	return wait + rand.N(wait), taken.Granted
}

// takeStream takes what opening a stream costs. It has answered when it is false, with the status 200 and
// the time to come back, since an EventSource gives up for good on any other status.
func (h *Handler) takeStream(w http.ResponseWriter, r *http.Request) bool {
	wait, ok := h.takeOpening(w, r)
	if ok {
		return true
	}
	setRetryAfter(w, wait)
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("X-Accel-Buffering", "no")
	header.Set("Connection", "close")
	var farewell sse.Frame
	farewell.Farewell(wait, time.Now())
	// A failed write means that the client is gone.
	_, _ = w.Write(farewell.In(sse.Bare)) // net/http makes the chunks
	return false
}
