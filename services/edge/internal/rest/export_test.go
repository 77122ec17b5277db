package rest

import (
	"context"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"example.com/hub/services/edge/internal/front"
)

// For the tests of what areas and the frame do together, which import both.
var (
	AppendFailure = front.AppendFailure
	Pages         = pages
	ParseQuery    = parseQuery
)

// BodyWeight is that of a body in its memory.
const BodyWeight = front.BodyWeight

// Answering turns answers of a hub into answers to the caller, as a request through the edge does.
func Answering(t testing.TB, write Writer, zone *time.Location) func(proto.Message) ([]byte, error) {
	t.Helper()
	h := &Handler{zone: zone}
	x := &exchange{Exchange: front.Exchange{ResponseWriter: httptest.NewRecorder()}, route: &route{Endpoint: Endpoint{Write: write}}, buffers: newBuffers()}
	ctx := context.WithValue(t.Context(), exchangeKey{}, x)
	return func(m proto.Message) ([]byte, error) {
		body, err := h.rewrite(ctx, m)
		if err != nil {
			return nil, err
		}
		return body.(encoded), nil
	}
}

// Receive is what a connection does with the bytes of an answer.
func Receive(data mem.BufferSlice, answer proto.Message) error {
	return asItCame.(grpc.ForceCodecV2CallOption).CodecV2.Unmarshal(data, answer)
}

var plenty = &limits{decoding: semaphore.NewWeighted(1 << 30)}

// Fill reads a request into the message of its call.
func Fill(read Reader, query url.Values, body []byte, message proto.Message) error {
	b := newBuffers()
	defer b.free()
	b.request = Request{query: query, body: body}
	return plenty.read(read, &b.request, message)
}

// Routes are the names of all routes.
func (h *Handler) Routes() []string {
	var names []string
	for _, r := range h.routes {
		names = append(names, r.name)
	}
	return names
}
