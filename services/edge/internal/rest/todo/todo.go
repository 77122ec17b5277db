// Package todo is the REST form of todohub: its endpoints, and the JSON of a TodoItem.
package todo

import (
	"context"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"

	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	todogw "example.com/hub/services/edge/internal/gatewaypb/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/rest/shape"
)

// Area is what is served of todohub.
func Area(hub grpc.ClientConnInterface) rest.Area {
	return rest.Area{Hub: hub, Register: register, Endpoints: []rest.Endpoint{
		{
			Method: http.MethodPost, Path: "/todo-hub/todos",
			Read: rest.Reads(readUpsert), Write: rest.Item(Item),
		},
		{
			Method: http.MethodGet, Path: "/todo-hub/todos",
			Read: rest.Reads(readList), Write: rest.List(Item), MaxRecord: maxItem,
		},
		{
			Method: http.MethodPost, Path: "/todo-hub/todos/{todoId}/clear",
			Read: rest.Reads(readClear), Write: rest.Item(Item),
		},
		{
			Method: http.MethodPost, Path: "/todo-hub/todos/{todoId}/invalidate",
			Read: rest.Reads(readInvalidate), Write: rest.Item(Item),
		},
	}}
}

func register(ctx context.Context, mux *runtime.ServeMux, hub grpc.ClientConnInterface) error {
	return todogw.RegisterTodoServiceHandlerClient(ctx, mux, todov1.NewTodoServiceClient(hub))
}

// The contract's words.
var (
	types      = shape.Words[todov1.TodoType]{"", "HANDLE", "REVIEW"}
	statuses   = shape.Words[todov1.TodoStatus]{"", "OPEN", "CLEARED", "INVALID"}
	sortFields = shape.Words[todov1.TodoSortField]{
		"", "modifyTime", "createTime", "dueAt", "clearedAt", "title", "category", "sourceSystem", "id",
	}
)

// maxItem is more bytes than the largest todo takes on the wire, whose texts are 9,900 characters at
// most.
const maxItem = 48 << 10

// Item is a TodoItem of the contract, from a todov1.Todo. Every member is always there.
var Item = shape.New(append([]shape.Field{
	shape.Text("id", 1),
	shape.Word("type", 2, types),
	shape.Text("sourceSystem", 3),
	shape.Text("sourceBizId", 4),
	shape.Text("assigneeUsername", 5),
	shape.Text("initiatorUsername", 6),
	shape.Text("title", 7),
	shape.Text("summary", 8),
	shape.Text("category", 9),
	shape.Text("actionUrl", 10),
	shape.Text("actionAppId", 11),
	shape.Instant("dueAt", 12),
	shape.Word("status", 13, statuses),
	shape.Text("result", 14),
	shape.Instant("clearedAt", 15),
	shape.Text("clearedBy", 16),
	shape.Text("reason", 17),
}, shape.Audit(18, 19, 20, 21)...)...)
