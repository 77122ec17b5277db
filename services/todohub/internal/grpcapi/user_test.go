package grpcapi_test

import (
	"testing"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

func TestUserListsHerOwnTodosOnly(t *testing.T) {
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
	}
}
