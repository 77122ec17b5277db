package rest

import (
	"errors"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"

	"example.com/hub/services/edge/internal/front"
)

// Transfer answers what is more than one message of a call, such as the bytes of a file. An error is a
// front.Failure or that of a call to a hub, and is answered, unless the answer has begun: then the connection is
// cut, so that the caller does not take a part for the whole.
type Transfer func(w http.ResponseWriter, r *http.Request) error

func (h *Handler) serveTransfer(serve Transfer) runtime.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request, _ map[string]string) {
		err := serve(w, r)
		var f front.Failure
		switch x := exchangeOf(r.Context()); {
		case err == nil:
		case x.Answered:
			h.logger.InfoContext(r.Context(), "an answer ended before its end", "route", x.route.name, "cause", err)
			panic(http.ErrAbortHandler)
		case errors.As(err, &f):
			h.fail(w, f)
		default:
			h.callFailed(r.Context(), nil, nil, w, r, err)
		}
	}
}
