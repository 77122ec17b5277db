package rest

import (
	"context"
	"fmt"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/telemetry"
)

// Area is a part of the interface: the endpoints that are calls of one gRPC service.
type Area struct {
	// Hub is the connection to the service.
	Hub grpc.ClientConnInterface
	// Register fills the mux with the handlers that are generated from rest.yaml, one for each endpoint;
	// their calls go through the given connection.
	Register func(context.Context, *runtime.ServeMux, grpc.ClientConnInterface) error
	// Endpoints have a path of rest.yaml each.
	Endpoints []Endpoint
}

// Endpoint is a method and path, and what becomes of a request for it. It is a gRPC call with Read and
// Write, or else Serve answers.
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
	// Serve answers what is no gRPC call.
	Serve http.HandlerFunc
}

// route is an endpoint with what the front keeps for it.
type route struct {
	Endpoint
	// name is how the contract writes the route, for metrics and logs.
	name string
	// metrics count its requests.
	metrics *telemetry.Endpoint
}

// register fills the mux and the routes.
func (h *Handler) register(areas []Area, own []Endpoint, limits *limits) error {
	for _, a := range areas {
		if err := a.Register(context.Background(), h.mux, calls{a.Hub, limits}); err != nil {
			return fmt.Errorf("register handlers: %w", err)
		}
		h.add(a.Endpoints)
	}
	for _, e := range own {
		serve := func(w http.ResponseWriter, r *http.Request, _ map[string]string) { e.Serve(w, r) }
		if err := h.mux.HandlePath(e.Method, e.Path, serve); err != nil {
			return fmt.Errorf("register %s: %w", e.Path, err)
		}
	}
	h.add(own)
	if h.handlers != len(h.routes) {
		return fmt.Errorf("there are %d handlers for %d endpoints: rest.yaml and the areas differ", h.handlers, len(h.routes))
	}
	return nil
}

func (h *Handler) add(endpoints []Endpoint) {
	for _, e := range endpoints {
		h.routes = append(h.routes, route{Endpoint: e, name: e.Method + " " + e.Path})
	}
}
