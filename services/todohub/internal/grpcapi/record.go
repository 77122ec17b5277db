package grpcapi

import (
	"google.golang.org/protobuf/proto"

	"example.com/hub/pkg/pbwire"
	"example.com/hub/services/todohub/internal/todo"
)

// withTodos sets field 1 of an answer, which is one hub.todo.v1.Todo or many.
func withTodos[M proto.Message](answer M, items ...todo.Item) M {
	pbwire.SetRecords(answer, 1, items, appendTodo)
	return answer
}

// appendTodo appends the fields of a hub.todo.v1.Todo.
func appendTodo(b []byte, i *todo.Item) []byte {
	b = pbwire.String(b, 1, i.ID)
	b = pbwire.Int(b, 2, int64(i.Type))
	b = pbwire.String(b, 3, i.SourceSystem)
	b = pbwire.String(b, 4, i.SourceBizID)
	b = pbwire.String(b, 5, i.AssigneeUsername)
	b = pbwire.String(b, 6, i.InitiatorUsername)
	b = pbwire.String(b, 7, i.Title)
	b = pbwire.String(b, 8, i.Summary)
	b = pbwire.String(b, 9, i.Category)
	b = pbwire.String(b, 10, i.ActionURL)
	b = pbwire.String(b, 11, i.ActionAppID)
	b = pbwire.OptionalTime(b, 12, i.DueAt)
	b = pbwire.Int(b, 13, int64(i.Status))
	b = pbwire.String(b, 14, i.Result)
	b = pbwire.OptionalTime(b, 15, i.ClearedAt)
	b = pbwire.String(b, 16, i.ClearedBy)
	b = pbwire.String(b, 17, i.Reason)
	b = pbwire.Time(b, 18, i.CreateTime)
	b = pbwire.Time(b, 19, i.ModifyTime)
	b = pbwire.String(b, 20, i.CreatorID)
	b = pbwire.String(b, 21, i.ModifierID)
	b = pbwire.String(b, 22, i.Payload)
	b = pbwire.String(b, 23, i.EventCenterRef)
	return pbwire.OptionalInt(b, 24, i.SourceVersion)
}
