package rest

import (
	"cmp"
	"context"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/hub/services/edge/internal/front"
)

// Joiner reads a request that several calls answer, and gives what makes them. Its errors are for the caller.
type Joiner func(r *Request) (Join, error)

// Join makes the calls of a request and gives the data of the answer in JSON. It also gives what the hubs
// sent with their answers, in any case. Its errors are those of the calls.
type Join func(ctx context.Context) (data []byte, sent metadata.MD, err error)

// serveJoined answers by several calls. The answer has a tag, and is not sent to a caller who has it.
func (h *Handler) serveJoined(w http.ResponseWriter, r *http.Request, _ map[string]string) {
	x := exchangeOf(r.Context())
	out := forward(r, x)
	ctx, err := runtime.AnnotateContext(out.Context(), h.mux, out, x.route.name)
	if err != nil {
		h.callFailed(r.Context(), h.mux, nil, w, r, err)
		return
	}
	data, sent, err := h.join(ctx, x)
	ctx = runtime.NewServerMetadataContext(ctx, runtime.ServerMetadata{HeaderMD: sent})
	if err != nil {
		h.callFailed(ctx, h.mux, nil, w, r, err)
		return
	}
	_ = passLimit(ctx, w, nil)
	b := append(append(x.buffers.answer[:0], front.SuccessHead...), data...)
	b = append(b, front.SuccessTail...)
	x.buffers.answer = b
	header, tag := w.Header(), front.Tag(b)
	header.Set("ETag", tag)
	header.Set("Cache-Control", "private, no-cache")
	if front.NoneMatches(r.Header, tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	front.Answer(w, b)
}

func (h *Handler) join(ctx context.Context, x *exchange) ([]byte, metadata.MD, error) {
	request := &x.buffers.request
	request.body = x.buffers.body.Bytes()
	join, err := x.route.Join(request)
	if err = cmp.Or(request.fault, err); err != nil {
		return nil, nil, status.Error(codeOf(err), err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, h.callTimeout+request.more)
	defer cancel()
	return join(ctx)
}
