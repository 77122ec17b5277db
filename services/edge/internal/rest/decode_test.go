package rest_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
)

// FuzzDecode feeds all decoders. Whatever comes in, they say yes only to one JSON object, give a
// message that gRPC can carry, and never repeat the input in an error.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `null`, `[]`, `{"todoId":"T1","type":"HANDLE","dueAt":"2030-01-01T00:00:00Z"}`,
		`{"result":"done","clearedAt":null}`, `{"sourceMessageId":"M1","targetUsernames":["amy",null],"actions":[{"url":"/u"},null]}`,
		`{"x":1,"x":2}`, "{\"title\":\"\xff\"}", `{"title":"\ud800"}`, `{"type":1}`, `{"actions":[{"label":{}}]}`, "\ufeff{}", `{}{}`,
		strings.Repeat("[", 20_000), `{"secret-marker":`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for path, message := range map[string]proto.Message{
			"/todo-hub/todos":                &todov1.UpsertTodoRequest{},
			"/todo-hub/todos/{todoId}/clear": &todov1.ClearTodoRequest{},
			"/message-hub/messages":          &messagev1.PushMessageRequest{},
		} {
			err := rest.Fill(endpoint(t, http.MethodPost, path).Read, nil, data, message)
			if err != nil {
				if len(err.Error()) > 120 || !utf8.ValidString(err.Error()) || strings.Contains(err.Error(), "secret-marker") {
					t.Fatalf("the error is %q", err)
				}
				continue
			}
			if trimmed := bytes.TrimSpace(data); !json.Valid(data) || trimmed[0] != '{' {
				t.Fatalf("%q was taken", data)
			}
			if _, err := proto.Marshal(message); err != nil {
				t.Fatalf("%q became a message that cannot be sent: %v", data, err)
			}
		}
	})
}

// FuzzQuery feeds the query parser: whatever it takes becomes a message that gRPC can carry.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"", "assigneeUsername=a&status=OPEN&type=HANDLE&page=1&size=2&sort=id,desc", "username=%00&page=-1&size=99999999999999999999",
		"sort=,&sort", "reason=%ff", "username=a&username=b", "a;b", "%", "page=1_0&size=0x1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		values, err := rest.ParseQuery(&http.Request{URL: &url.URL{RawQuery: raw}})
		if err != nil {
			return
		}
		for route, message := range map[string]proto.Message{
			"GET /todo-hub/todos":                      &todov1.ListTodosRequest{},
			"POST /todo-hub/todos/{todoId}/invalidate": &todov1.InvalidateTodoRequest{},
			"GET /message-hub/inbox":                   &messagev1.ListInboxRequest{},
			"GET /message-hub/unread-count":            &messagev1.CountUnreadRequest{},
			"POST /message-hub/messages/{id}/read":     &messagev1.MarkReadRequest{},
		} {
			method, path, _ := strings.Cut(route, " ")
			if err := rest.Fill(endpoint(t, method, path).Read, values, nil, message); err != nil {
				if !strings.HasSuffix(err.Error(), " must not be repeated") {
					t.Fatalf("%q: %v", raw, err)
				}
				continue
			}
			if _, err := proto.Marshal(message); err != nil {
				t.Fatalf("%q became a message that cannot be sent: %v", raw, err)
			}
		}
	})
}
