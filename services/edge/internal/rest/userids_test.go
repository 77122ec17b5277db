package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
)

// knownIDs has ids that are a letter in front of the usernames.
type knownIDs struct {
	asked []string
	err   error
}

// Usernames implements rest.Directory.
func (d *knownIDs) Usernames(_ context.Context, ids []string) ([]string, error) {
	d.asked = append(d.asked, ids...)
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i], _ = strings.CutPrefix(id, "u")
		if names[i] == id {
			names[i] = ""
		}
	}
	return names, d.err
}

func withDirectory(dir *knownIDs) func(*rest.Deps) {
	return func(d *rest.Deps) { d.Directory = dir }
}

func TestDirectoryNamesTheUsersOfAPush(t *testing.T) {
	dir := &knownIDs{}
	f := newFront(t, withDirectory(dir))
	push := func(ids string) (code int, msg string) {
		w := f.send(t, http.MethodPost, "/message-hub/messages", `{"targetUserIds":`+ids+`}`)
		return w.Code, w.Body.String()
	}
	if code, body := push(`["uamy","uben","uamy",""]`); code != http.StatusOK {
		t.Fatal(code, body)
	}
	f.wantCall(t, &messagev1.PushMessageRequest{TargetUserIds: []string{"amy", "ben", "amy", ""}})
	if want := []string{"uamy", "uben", "uamy", ""}; !slices.Equal(dir.asked, want) {
		t.Errorf("asked for %q in one call", dir.asked)
	}
	calls := f.hub.calls
	w := f.send(t, http.MethodPost, "/message-hub/messages", `{"targetUserIds":["uamy","x","y"]}`)
	wantMessage(t, w, http.StatusBadRequest, "target user ids[1] is not the id of a user")
	dir.err = status.Error(codes.Unavailable, "the directory at 10.0.0.1 is away")
	wantMessage(t, f.send(t, http.MethodPost, "/message-hub/messages", `{"targetUserIds":["uamy"]}`),
		http.StatusServiceUnavailable, "the service is not available, try again later")
	if f.hub.calls != calls {
		t.Errorf("the hub was called")
	}
	if code, body := push(`null`); code != http.StatusOK {
		t.Errorf("without ids the directory is not asked: %d %s", code, body)
	}
}

func TestDirectoryNamesTheUsersOfTodos(t *testing.T) {
	dir := &knownIDs{}
	f := newFront(t, withDirectory(dir))
	upsert := func(body string) (int, string) {
		w := f.send(t, http.MethodPost, "/todo-hub/todos", body)
		return w.Code, w.Body.String()
	}
	if code, body := upsert(`{"assigneeUserId":"uamy","initiatorUserId":"uian"}`); code != http.StatusOK {
		t.Fatal(code, body)
	}
	f.wantCall(t, &todov1.UpsertTodoRequest{AssigneeUsername: "amy", InitiatorUsername: "ian"})
	if code, body := upsert(`{"assigneeUsername":"ben","assigneeUserId":"uamy","initiatorUserId":""}`); code != http.StatusOK {
		t.Fatal(code, body)
	}
	f.wantCall(t, &todov1.UpsertTodoRequest{AssigneeUsername: "ben"})
	calls := f.hub.calls
	for body, want := range map[string]string{
		`{"assigneeUserId":"x"}`:                              "assignee user id is not the id of a user",
		`{"assigneeUserId":"uamy","initiatorUserId":"amy"}`:   "initiator user id is not the id of a user",
		`{"assigneeUsername":"amy","initiatorUserId":"user"}`: "",
	} {
		w := f.send(t, http.MethodPost, "/todo-hub/todos", body)
		if want != "" {
			wantMessage(t, w, http.StatusBadRequest, want)
		}
	}
	if f.hub.calls != calls+1 {
		t.Errorf("the hub was called %d times", f.hub.calls-calls)
	}
}

// An id of nobody fails its item alone, and all ids of a batch are asked for at once.
func TestDirectoryNamesTheUsersOfABatch(t *testing.T) {
	dir := &knownIDs{}
	f := newFront(t, withDirectory(dir))
	f.hub.reply = &todov1.BatchUpsertTodosResponse{
		Results: []*todov1.BatchUpsertResult{{TodoId: "a"}, {Error: "todo id must not be empty"}, {TodoId: "c"}, {Error: "todo id must not be empty"}},
		Stored:  2, Failed: 2,
	}
	w := f.send(t, http.MethodPost, "/todo-hub/todos/batch", `{"items":[{"todoId":"a","assigneeUserId":"uamy"},
		{"todoId":"b","assigneeUsername":"amy","initiatorUserId":"x"}, {"todoId":"c","assigneeUsername":"ben"},
		{"todoId":"d","assigneeUserId":"uamy","initiatorUserId":7}]}`)
	result := func(id, msg string) string {
		if msg == "" {
			return fmt.Sprintf(`{"todoId":%q,"code":"0","msg":"ok","stale":false}`, id)
		}
		return fmt.Sprintf(`{"todoId":%q,"code":"-1","msg":%q,"stale":false}`, id, msg)
	}
	wantJSON(t, w, `{"code":"0","msg":"ok","data":{"results":[`+strings.Join([]string{
		result("a", ""), result("b", "initiator user id is not the id of a user"), result("c", ""), result("d", "initiatorUserId must be a string"),
	}, ",")+`],"stored":2,"stale":0,"failed":2}}`)
	f.wantCall(t, &todov1.BatchUpsertTodosRequest{Items: []*todov1.UpsertTodoRequest{
		{TodoId: "a", AssigneeUsername: "amy"}, {}, {TodoId: "c", AssigneeUsername: "ben"}, {},
	}})
	if len(dir.asked) != 2 {
		t.Errorf("asked for %q", dir.asked)
	}
	dir.err = status.Error(codes.Unavailable, "away")
	wantFailure(t, f.send(t, http.MethodPost, "/todo-hub/todos/batch", `{"items":[{"assigneeUserId":"uamy"}]}`), http.StatusServiceUnavailable)
}
