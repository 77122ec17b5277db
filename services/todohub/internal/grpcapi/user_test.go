package grpcapi_test

import (
	"testing"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

func TestUserListsAndCountsHerOwnTodosOnly(t *testing.T) {
	s := newServer(t)
	ctx := auth.With(t.Context(), auth.Principal{User: "amy", Permissions: []string{"todos"}})
	amy, ben, empty := "amy", "ben", ""
	for name, tt := range map[string]struct {
		assignee *string
		refused  bool
	}{
		"her own":      {&amy, false},
		"another's":    {&ben, true},
		"an empty one": {&empty, true},
		"everybody's":  {nil, true},
	} {
		_, err := s.ListTodos(ctx, &todov1.ListTodosRequest{AssigneeUsername: tt.assignee})
		if tt.refused && fault.KindOf(err) != fault.Forbidden || !tt.refused && err != nil {
			t.Errorf("%s: %v, want it to be refused: %v", name, err, tt.refused)
		}
		if tt.assignee == nil {
			continue
		}
		_, err = s.CountTodos(ctx, &todov1.CountTodosRequest{Username: *tt.assignee, Lists: []todov1.TodoList{todov1.TodoList_TODO_LIST_DONE}})
		if tt.refused && fault.KindOf(err) != fault.Forbidden || !tt.refused && err != nil {
			t.Errorf("the counts of %s: %v, want it to be refused: %v", name, err, tt.refused)
		}
	}
}
