// Package todo is the REST form of todohub: its endpoints, and the JSON of a TodoItem.
package todo

import (
	"context"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	todogw "example.com/hub/services/edge/internal/gatewaypb/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
)

// Area is what is served of todohub.
func Area(hub grpc.ClientConnInterface) rest.Area {
	client, user := auth.Rule{Scope: auth.ScopeClient}, auth.Rule{Scope: auth.ScopeClient, User: true}
	return rest.Area{Hub: hub, Register: register, Endpoints: []rest.Endpoint{
		{
			Method: http.MethodPost, Path: "/todo-hub/todos", Rule: client,
			Read: rest.Reads(readUpsert), Write: rest.Item(Item),
		},
		{
			Method: http.MethodPost, Path: "/todo-hub/todos/batch", Rule: client,
			Read: rest.Reads(readBatch), Write: results.Write,
		},
		{
			Method: http.MethodPost, Path: "/todo-hub/todos/reconcile", Rule: client,
			Read: rest.Reads(readReconcile), Write: writeReconciled,
		},
		{
			Method: http.MethodGet, Path: "/todo-hub/todos", Rule: user,
			Read: rest.Reads(readList), Write: rest.List(Item), MaxRecord: maxItem,
		},
		{
			Method: http.MethodPost, Path: "/todo-hub/todos/{todoId}/clear", Rule: client,
			Read: rest.Reads(readClear), Write: rest.Item(Item),
		},
		{
			Method: http.MethodPost, Path: "/todo-hub/todos/{todoId}/invalidate", Rule: client,
			Read: rest.Reads(readInvalidate), Write: rest.Item(Item),
		},
	}}
}

func register(ctx context.Context, mux *runtime.ServeMux, hub grpc.ClientConnInterface) error {
	return todogw.RegisterTodoServiceHandlerClient(ctx, mux, todov1.NewTodoServiceClient(hub))
}
