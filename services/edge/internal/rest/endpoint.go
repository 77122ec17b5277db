package rest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"github.com/grpc-ecosystem/grpc-gateway/v2/utilities"
	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/telemetry"
)

// Area is a part of the interface: the endpoints that are calls of one gRPC service, or pages and what
// they ask for.
type Area struct {
	// Hub is the connection to the service, and nil when no endpoint is a call.
	Hub grpc.ClientConnInterface
	// Register fills the mux with the handlers that are generated from rest.yaml, one for each endpoint
	// that is a call; they call through the given connection. It is nil when there are none.
	Register func(context.Context, *runtime.ServeMux, grpc.ClientConnInterface) error
	// Endpoints that are calls have a path of rest.yaml each.
	Endpoints []Endpoint
	// Home is the path of the page to which browsers that ask for / are sent; empty is none.
	Home string
}

// Endpoint is a method and path, and what becomes of a request for it. It is a gRPC call with Read and
// Write, or several calls with Join; or it is made of other endpoints by an Alias or by Parts; or it is a
// Transfer; or else Serve answers.
type Endpoint struct {
	Method string
	// Path is a template; a segment in braces stands for any segment.
	Path string
	// Rule says who may call; the zero Rule is nobody.
	Rule auth.Rule
	// Read fills the call's message. The variables of the path are in it already.
	Read Reader
	// MaxRecord is more bytes than a record of the answer takes in protobuf, where it is a list, and 0
	// where it is none. It is reserved for each record of the page that is asked for.
	MaxRecord int64
	// Write writes the answer.
	Write Writer
	// Join answers what is several calls. The answer has an ETag.
	Join Joiner
	// Alias answers with another endpoint.
	Alias *Alias
	// Parts answer with several other endpoints.
	Parts []Part
	// Transfer answers with the bytes of a file, or takes them.
	Transfer Transfer
	// Serve answers what is no gRPC call.
	Serve http.HandlerFunc
	// Ask answers a browser that navigates here without a session, in the place of a 401; nil leaves that.
	Ask http.HandlerFunc
}

const (
	// AnyMethod is every method but CONNECT and TRACE, for an endpoint with Below.
	AnyMethod = "ANY"
	// Below ends the path of an endpoint that has Serve and serves that path and all below it. The request comes
	// as it was sent, and Hub's own failures have the header Hub-Origin: edge, so that they are told from those of
	// who stands behind.
	Below = "/**"
)

// route is an endpoint with what the front keeps for it.
type route struct {
	Endpoint
	// name is how the contract writes the route, for metrics and logs.
	name string
	// metrics count its requests.
	metrics *telemetry.Endpoint
	// serve is its handler, and place that of the handler among those of the mux, but for a route with Below.
	serve runtime.HandlerFunc
	place int
	// names are those that the variables, as in "{todoId}", have in the proto.
	names map[string]string
}

// register fills the mux and the routes.
func (h *Handler) register(areas []Area, limits *limits) error {
	for _, a := range areas {
		if a.Register != nil {
			if err := a.Register(context.Background(), h.mux, calls{a.Hub, limits}); err != nil {
				return fmt.Errorf("register handlers: %w", err)
			}
		}
		for _, e := range a.Endpoints {
			serve := h.handlerOf(e)
			if serve == nil || e.below() {
				continue
			}
			path, err := patternOf(e.Path)
			if err != nil {
				return fmt.Errorf("register %s: %w", e.Path, err)
			}
			h.mux.Handle(e.Method, path, serve)
		}
		h.add(a.Endpoints)
		h.home = cmp.Or(h.home, a.Home)
	}
	var routed []*route
	for i := range h.routes {
		if r := &h.routes[i]; r.below() {
			h.below = append(h.below, r)
		} else {
			routed = append(routed, r)
		}
	}
	if h.handlers != len(routed) {
		return fmt.Errorf("there are %d handlers for %d endpoints: rest.yaml and the areas differ", h.handlers, len(routed))
	}
	return h.bind(routed)
}

// handlerOf gives what answers an endpoint that has no generated handler, or nil.
func (h *Handler) handlerOf(e Endpoint) runtime.HandlerFunc {
	switch {
	case e.Join != nil:
		return h.serveJoined
	case e.Alias != nil:
		return h.serveAlias
	case e.Parts != nil:
		return h.serveParts
	case e.Transfer != nil:
		return h.serveTransfer(e.Transfer)
	case e.Serve != nil:
		return func(w http.ResponseWriter, r *http.Request, _ map[string]string) { e.Serve(w, r) }
	default:
		return nil
	}
}

// patternOf makes the pattern of a path, which unlike those of rest.yaml may end with a slash.
func patternOf(path string) (runtime.Pattern, error) {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	ops := make([]int, 0, 2*len(segments))
	for i, segment := range segments {
		if !variable(segment) {
			ops = append(ops, int(utilities.OpLitPush), i)
			continue
		}
		segments[i] = strings.Trim(segment, "{}")
		ops = append(ops, int(utilities.OpPush), 0, int(utilities.OpConcatN), 1, int(utilities.OpCapture), i)
	}
	return runtime.NewPattern(1, ops, segments, "") //nolint:wrapcheck // the caller names the path
}

// variable tells whether a segment of a template stands for any segment.
func variable(segment string) bool { return strings.HasPrefix(segment, "{") }

func (h *Handler) add(endpoints []Endpoint) {
	for _, e := range endpoints {
		h.routes = append(h.routes, route{Endpoint: e, name: e.Method + " " + e.Path})
	}
}
