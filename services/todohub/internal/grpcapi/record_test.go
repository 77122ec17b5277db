package grpcapi_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// decoded gives an answer as its caller sees it.
func decoded[M proto.Message](t *testing.T, answer M) M {
	t.Helper()
	raw, err := proto.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	seen := answer.ProtoReflect().New().Interface().(M)
	if err := proto.Unmarshal(raw, seen); err != nil {
		t.Fatal(err)
	}
	return seen
}

func TestEveryFieldOfATodo(t *testing.T) {
	s := newServer(t)
	request := fullRequest()
	request.ActionAppId, request.Payload, request.EventCenterRef, request.SourceVersion = "app", `{"a":1}`, "ref", proto.Int64(0)
	if _, err := s.UpsertTodo(as(t, "erp"), request); err != nil {
		t.Fatal(err)
	}
	got, err := s.ClearTodo(as(t, "portal"), &todov1.ClearTodoRequest{TodoId: "a", Result: "read", ClearedBy: "ann", Reason: "why"})
	if err != nil {
		t.Fatal(err)
	}
	at := timestamppb.New(now)
	want := &todov1.Todo{
		Id: "a", Type: todov1.TodoType_TODO_TYPE_REVIEW, SourceSystem: "erp", SourceBizId: "biz", AssigneeUsername: "ann",
		InitiatorUsername: "ian", Title: "title", Summary: "summary", Category: "category", ActionUrl: "/act",
		ActionAppId: "app", DueAt: timestamppb.New(now.Add(time.Hour)), Status: todov1.TodoStatus_TODO_STATUS_CLEARED,
		Result: "read", ClearedAt: at, ClearedBy: "ann", Reason: "why", CreateTime: at, ModifyTime: at,
		CreatorId: "erp", ModifierId: "portal", Payload: `{"a":1}`, EventCenterRef: "ref", SourceVersion: proto.Int64(0),
	}
	seen := decoded(t, got).GetTodo()
	wantTodo(t, want, seen)
	for fields, i := seen.ProtoReflect().Descriptor().Fields(), 0; i < fields.Len(); i++ {
		if !seen.ProtoReflect().Has(fields.Get(i)) {
			t.Errorf("%s is not there", fields.Get(i).Name())
		}
	}
}
