package rest_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

func TestBatch(t *testing.T) {
	f := newFront(t)
	f.hub.reply = &todov1.BatchUpsertTodosResponse{
		Results: []*todov1.BatchUpsertResult{
			{TodoId: "a"},
			{Error: "todo id must not be empty"},
			{Error: "todo id must not be empty"},
			{TodoId: "d", Stale: true},
			{Error: "todo id must not be empty"},
			{TodoId: "<f>", Error: "title must not be empty"},
		},
		Stored: 1, Stale: 1, Failed: 4,
	}
	w := f.send(t, http.MethodPost, "/todo-hub/todos/batch?view=full", `{"items":[
		{"todoId":"a","type":"review","payload":[ 1 ]}, {"todoId":"b","title":1}, null, {"todoId":"d","sourceVersion":1},
		{"todoId":5}, {"todoId":"<f>"}]}`)
	wantJSON(t, w, `{"code":"0","msg":"ok","data":{"results":[
		{"todoId":"a","code":"0","msg":"ok","stale":false},
		{"todoId":"b","code":"-1","msg":"title must be a string","stale":false},
		{"todoId":"","code":"-1","msg":"the item must be a JSON object","stale":false},
		{"todoId":"d","code":"0","msg":"ok","stale":true},
		{"todoId":"","code":"-1","msg":"todoId must be a string","stale":false},
		{"todoId":"<f>","code":"-1","msg":"title must not be empty","stale":false}],
		"stored":1,"stale":1,"failed":4}}`)
	none := &todov1.UpsertTodoRequest{}
	f.wantCall(t, &todov1.BatchUpsertTodosRequest{Items: []*todov1.UpsertTodoRequest{
		{TodoId: "a", Type: todov1.TodoType_TODO_TYPE_REVIEW, Payload: "[ 1 ]"},
		none, none,
		{TodoId: "d", SourceVersion: proto.Int64(1)},
		none,
		{TodoId: "<f>"},
	}})
	if left := time.Until(f.hub.deadline); left < 4*time.Second {
		t.Errorf("the call has %v", left)
	}
}

func TestBatchThatCannotBeRead(t *testing.T) {
	f := newFront(t)
	for body, want := range map[string]string{
		``:                                  "the request body must be a JSON object",
		`[]`:                                "the request body must be a JSON object",
		`{"items":{}}`:                      "items must be an array",
		`{"items":[{"todoId":"a"},]}`:       "the request body is not valid JSON at byte 24",
		`{"items":[{"title":1,"title":2}]}`: "the request body is not valid JSON: a name stands twice at byte 21",
	} {
		wantMessage(t, f.send(t, http.MethodPost, "/todo-hub/todos/batch", body), http.StatusBadRequest, want)
	}
	if f.hub.calls != 0 {
		t.Errorf("the hub was called %d times", f.hub.calls)
	}
}

// An item more than a batch may have goes on to the hub, which refuses the batch for it; the rest is read as
// JSON only. Each item gives the call a millisecond.
func TestLargeBatch(t *testing.T) {
	f := newFront(t)
	items := strings.Repeat(`{"todoId":"a"},`, 600)
	f.send(t, http.MethodPost, "/todo-hub/todos/batch", `{"items":[`+items+`7]}`)
	if n := len(f.hub.request.(*todov1.BatchUpsertTodosRequest).GetItems()); n != 501 {
		t.Errorf("%d items went on", n)
	}
	if left := time.Until(f.hub.deadline); left < 5*time.Second+100*time.Millisecond {
		t.Errorf("%s items have %v", strconv.Itoa(600), left)
	}
	for _, body := range []string{`{}`, `{"items":null}`, `{"items":[]}`} {
		f.send(t, http.MethodPost, "/todo-hub/todos/batch", body)
		f.wantCall(t, &todov1.BatchUpsertTodosRequest{})
	}
}
