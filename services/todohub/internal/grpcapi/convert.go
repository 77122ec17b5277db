package grpcapi

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/todohub/internal/todo"
)

// The enums of the domain have the numbers of the proto, and 0 for UNSPECIFIED, so that a conversion
// is enough in both directions. Numbers that the proto does not name pass through, and the domain
// refuses them in its order.

func message(i todo.Item) *todov1.Todo {
	var m parts
	m.todo = todov1.Todo{
		Id:                i.ID,
		Type:              todov1.TodoType(i.Type),
		SourceSystem:      i.SourceSystem,
		SourceBizId:       i.SourceBizID,
		AssigneeUsername:  i.AssigneeUsername,
		InitiatorUsername: i.InitiatorUsername,
		Title:             i.Title,
		Summary:           i.Summary,
		Category:          i.Category,
		ActionUrl:         i.ActionURL,
		DueAt:             optional(&m.due, i.DueAt),
		Status:            todov1.TodoStatus(i.Status),
		Result:            i.Result,
		ClearedAt:         optional(&m.cleared, i.ClearedAt),
		ClearedBy:         i.ClearedBy,
		Reason:            i.Reason,
		CreateTime:        timestamp(&m.create, i.CreateTime),
		ModifyTime:        timestamp(&m.modify, i.ModifyTime),
		CreatorId:         i.CreatorID,
		ModifierId:        i.ModifierID,
	}
	return &m.todo
}

// parts are a message and what it points to, in one allocation: a page has many.
type parts struct {
	todo                         todov1.Todo
	due, cleared, create, modify timestamppb.Timestamp
}

func timestamp(into *timestamppb.Timestamp, t time.Time) *timestamppb.Timestamp {
	into.Seconds, into.Nanos = t.Unix(), int32(t.Nanosecond())
	return into
}

// optional gives nil for an absent time.
func optional(into *timestamppb.Timestamp, t *time.Time) *timestamppb.Timestamp {
	if t == nil {
		return nil
	}
	return timestamp(into, *t)
}

// instant gives nil for an absent time, and a time that the domain refuses for one that is no
// instant of the years 1 to 9999.
func instant(ts *timestamppb.Timestamp) *time.Time {
	if ts == nil {
		return nil
	}
	t := time.Time{}.AddDate(-1, 0, 0)
	if ts.IsValid() {
		t = ts.AsTime()
	}
	return &t
}

// sortOf gives nil for an absent sort; a sort without a field is by modify time.
func sortOf(s *todov1.TodoSort) *todo.Sort {
	if s == nil {
		return nil
	}
	sort := todo.Sort{Field: todo.SortField(s.GetField()), Descending: s.GetDescending()}
	if sort.Field == 0 {
		sort.Field = todo.SortModifyTime
	}
	return &sort
}
