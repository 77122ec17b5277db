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

// message is the item as gRPC callers see it.
func message(i todo.Item) *todov1.Todo {
	return &todov1.Todo{
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
		DueAt:             timestamp(i.DueAt),
		Status:            todov1.TodoStatus(i.Status),
		Result:            i.Result,
		ClearedAt:         timestamp(i.ClearedAt),
		ClearedBy:         i.ClearedBy,
		Reason:            i.Reason,
		CreateTime:        timestamppb.New(i.CreateTime),
		ModifyTime:        timestamppb.New(i.ModifyTime),
		CreatorId:         i.CreatorID,
		ModifierId:        i.ModifierID,
	}
}

func timestamp(t *time.Time) *timestamppb.Timestamp {
	if t == nil {
		return nil
	}
	return timestamppb.New(*t)
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
