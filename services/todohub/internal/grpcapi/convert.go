package grpcapi

import (
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/pbtime"
	"example.com/hub/pkg/reconcile"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/todohub/internal/todo"
)

// The enums of the domain have the numbers of the proto, and 0 for UNSPECIFIED, so that a conversion
// is enough in both directions. Numbers that the proto does not name pass through, and the domain
// refuses them in its order.

func report(in *todov1.UpsertTodoRequest) todo.Report {
	return todo.Report{
		ID:                in.GetTodoId(),
		Type:              todo.Type(in.GetType()),
		SourceBizID:       in.GetSourceBizId(),
		AssigneeUsername:  in.GetAssigneeUsername(),
		InitiatorUsername: in.GetInitiatorUsername(),
		Title:             in.GetTitle(),
		Summary:           in.GetSummary(),
		Category:          in.GetCategory(),
		ActionURL:         in.GetActionUrl(),
		DueAt:             pbtime.Instant(in.GetDueAt()),
		ActionAppID:       in.GetActionAppId(),
		Payload:           in.GetPayload(),
		EventCenterRef:    in.GetEventCenterRef(),
		SourceVersion:     in.SourceVersion,
	}
}

func batch(results []todo.BatchResult) *todov1.BatchUpsertTodosResponse {
	m := &todov1.BatchUpsertTodosResponse{Results: make([]*todov1.BatchUpsertResult, len(results))}
	for i, r := range results {
		m.Results[i] = &todov1.BatchUpsertResult{TodoId: r.ID, Stale: r.Stale}
		switch {
		case r.Err != nil:
			m.Results[i].Error = fault.As(r.Err).Public
			m.Failed++
		case r.Stale:
			m.Stale++
		default:
			m.Stored++
		}
	}
	return m
}

// actions are the final statuses that items are closed with.
var actions = map[todov1.ReconcileAction]todo.Status{
	todov1.ReconcileAction_RECONCILE_ACTION_CLEAR:      todo.Cleared,
	todov1.ReconcileAction_RECONCILE_ACTION_INVALIDATE: todo.Invalid,
}

func reconcileRequest(in *todov1.ReconcileTodosRequest) todo.ReconcileRequest {
	r := todo.ReconcileRequest{
		Range: reconcile.Range{
			AsOf: pbtime.Instant(in.GetAsOf()), From: in.GetFrom(), To: in.To, MaxClose: in.MaxClose, DryRun: in.GetDryRun(),
		},
		Open: make([]todo.OpenItem, len(in.GetOpen())), Action: actions[in.GetAction()], Result: in.Result,
	}
	for i, o := range in.GetOpen() {
		r.Open[i] = todo.OpenItem{ID: o.GetTodoId(), SourceVersion: o.SourceVersion}
	}
	return r
}

func lists(in []todov1.TodoList) []todo.UserList {
	converted := make([]todo.UserList, len(in))
	for i, list := range in {
		converted[i] = todo.UserList(list)
	}
	return converted
}

// sort gives nil for an absent sort; a sort without a field is by modify time.
func sort(s *todov1.TodoSort) *todo.Sort {
	if s == nil {
		return nil
	}
	sort := todo.Sort{Field: todo.SortField(s.GetField()), Descending: s.GetDescending()}
	if sort.Field == 0 {
		sort.Field = todo.DefaultSort.Field
	}
	return &sort
}
