package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// draftTodo has every field of the draft.
func draftTodo() *todov1.Todo {
	todo := aTodo()
	todo.ActionAppId, todo.Payload, todo.EventCenterRef, todo.SourceVersion = "app", `{ "a": [1.0,"<\u2028"] }`, "<ref>", new(int64)
	return todo
}

// extended is wholeTodo in an extended answer.
func extended(app, payload, ref, version string) string {
	return strings.Replace(strings.TrimSuffix(wholeTodo, "}"), `"actionAppId":""`, `"actionAppId":"`+app+`"`, 1) +
		`,"payload":` + payload + `,"eventCenterRef":"` + ref + `","sourceVersion":` + version + `}`
}

func TestExtendedAnswersHaveTheFieldsOfTheDraft(t *testing.T) {
	const upsert = `{"todoId":"T1"}`
	drafted, bare := extended("app", draftTodo().GetPayload(), "<ref>", "0"), extended("", "null", "", "null")
	item := func(todo string) string { return `{"code":"0","msg":"ok","data":` + todo + `}` }
	page := func(todo string) string {
		return `{"code":"0","msg":"ok","data":[` + todo + `],"page":{"page":1,"totalCount":1,"totalPages":1,"size":20},"count":1}`
	}
	list := func(todo *todov1.Todo) *todov1.ListTodosResponse {
		return &todov1.ListTodosResponse{Todos: []*todov1.Todo{todo}, Size: 20, TotalCount: 1}
	}
	place := `{"code":"0","msg":"ok","data":[` + drafted + `],"page":{"size":20,"nextCursor":null},"count":1}`
	walked := list(draftTodo())
	walked.TotalCount = 0
	for name, tt := range map[string]struct {
		method, target, body string
		reply                proto.Message
		want                 string
	}{
		"upsert":                {http.MethodPost, "", upsert, &todov1.UpsertTodoResponse{Todo: draftTodo()}, item(wholeTodo)},
		"upsert in full":        {http.MethodPost, "?view=full", upsert, &todov1.UpsertTodoResponse{Todo: draftTodo()}, item(drafted)},
		"upsert of nothing new": {http.MethodPost, "?view=full", upsert, &todov1.UpsertTodoResponse{Todo: aTodo()}, item(bare)},
		"list":                  {http.MethodGet, "", "", list(draftTodo()), page(wholeTodo)},
		"list in full":          {http.MethodGet, "?view=full", "", list(draftTodo()), page(drafted)},
		"list by a cursor":      {http.MethodGet, "?cursor=", "", walked, place},
		"clear": {
			http.MethodPost, "/T1/clear?view=full", `{"result":"done"}`, &todov1.ClearTodoResponse{Todo: draftTodo()}, item(wholeTodo),
		},
		"invalidate": {http.MethodPost, "/T1/invalidate?view=full", "", &todov1.InvalidateTodoResponse{Todo: draftTodo()}, item(wholeTodo)},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFront(t)
			f.hub.reply = tt.reply
			w := f.send(t, tt.method, "/todo-hub/todos"+tt.target, tt.body)
			wantJSON(t, w, tt.want)
			if payload := draftTodo().GetPayload(); strings.Contains(tt.want, payload) && !strings.Contains(w.Body.String(), payload) {
				t.Errorf("the payload is not byte for byte in %s", w.Body)
			}
			if stale := w.Header().Get("Hub-Stale"); stale != "" {
				t.Errorf("Hub-Stale is %q", stale)
			}
		})
	}
}

func TestStaleChangeHasHeader(t *testing.T) {
	for target, reply := range map[string]proto.Message{
		"":               &todov1.UpsertTodoResponse{Todo: aTodo(), Stale: true},
		"/T1/clear":      &todov1.ClearTodoResponse{Todo: aTodo(), Stale: true},
		"/T1/invalidate": &todov1.InvalidateTodoResponse{Todo: aTodo(), Stale: true},
	} {
		f := newFront(t)
		f.hub.reply = reply
		w := f.send(t, http.MethodPost, "/todo-hub/todos"+target, `{}`)
		wantJSON(t, w, `{"code":"0","msg":"ok","data":`+wholeTodo+`}`)
		if got := w.Header().Get("Hub-Stale"); got != "true" {
			t.Errorf("%s: Hub-Stale is %q", target, got)
		}
	}
}

func TestFieldsOfTheDraftOfAWrongType(t *testing.T) {
	f := newFront(t)
	for body, want := range map[string]string{
		`{"assigneeUserId":1}`:                               "assigneeUserId must be a string",
		`{"assigneeUsername":"amy","initiatorUserId":["b"]}`: "initiatorUserId must be a string",
		`{"assigneeUsername":1}`:                             "assigneeUsername must be a string",
		`{"actionAppId":{}}`:                                 "actionAppId must be a string",
		`{"eventCenterRef":1}`:                               "eventCenterRef must be a string",
		`{"sourceVersion":"1"}`:                              "sourceVersion must be an integer",
		`{"sourceVersion":1.5}`:                              "sourceVersion must be an integer",
		`{"sourceVersion":1e300}`:                            "sourceVersion must be an integer",
		`{"payload":{"a":1,"a":2}}`:                          "the request body is not valid JSON: a name stands twice at byte 18",
	} {
		wantMessage(t, f.send(t, http.MethodPost, "/todo-hub/todos", body), http.StatusBadRequest, want)
	}
}
