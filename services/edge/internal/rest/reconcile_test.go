package rest_test

import (
	"net/http"
	"testing"

	"google.golang.org/protobuf/proto"

	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

func TestReconcile(t *testing.T) {
	f := newFront(t)
	f.hub.reply = &todov1.ReconcileTodosResponse{Closed: 2, ClosedIds: []string{"b", "<c>"}, Missing: 3, Stale: 4}
	w := f.send(t, http.MethodPost, "/todo-hub/todos/reconcile", `{"asOf":"2030-05-06T05:08:09Z","from":"a","to":"z",
		"open":[{"todoId":"d","sourceVersion":0},{"todoId":"e"}],"action":"invalidate","result":"gone","maxClose":7,"dryRun":true}`)
	wantJSON(t, w, `{"code":"0","msg":"ok","data":{"closed":2,"closedIds":["b","<c>"],"missing":3,"stale":4}}`)
	f.wantCall(t, &todov1.ReconcileTodosRequest{
		AsOf: at(2030, 5, 6, 5, 8, 9, 0), From: "a", To: proto.String("z"),
		Open:   []*todov1.OpenTodo{{TodoId: "d", SourceVersion: new(int64)}, {TodoId: "e"}},
		Action: todov1.ReconcileAction_RECONCILE_ACTION_INVALIDATE, Result: proto.String("gone"), MaxClose: proto.Int64(7), DryRun: true,
	})

	f.hub.reply = &todov1.ReconcileTodosResponse{}
	w = f.send(t, http.MethodPost, "/todo-hub/todos/reconcile", `{"to":null,"open":null,"action":"Clear","result":null,"maxClose":null,"dryRun":null}`)
	wantJSON(t, w, `{"code":"0","msg":"ok","data":{"closed":0,"closedIds":[],"missing":0,"stale":0}}`)
	f.wantCall(t, &todov1.ReconcileTodosRequest{Action: -1})

	for body, want := range map[string]string{
		`{"open":[{"todoId":"a"},null]}`: "open[1] must be an object",
		`{"open":[{"todoId":1}]}`:        "open[0].todoId must be a string",
		`{"open":{}}`:                    "open must be an array",
		`{"maxClose":"1"}`:               "maxClose must be an integer",
		`{"dryRun":1}`:                   "dryRun must be true or false",
	} {
		wantMessage(t, f.send(t, http.MethodPost, "/todo-hub/todos/reconcile", body), http.StatusBadRequest, want)
	}
}
