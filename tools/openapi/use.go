//go:build ignore

// The calls of a business system that has generated its client from the OpenAPI document: check.sh puts this
// file beside the generated one and runs both against a Hub.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"time"
)

// must gives the answer of a call, unless it failed.
func must[T any](answer T, err error) T {
	if err != nil {
		fail("%v", err)
	}
	return answer
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

// want compares what a call answered.
func want(what string, got, wanted any) {
	if !reflect.DeepEqual(got, wanted) {
		fail("%s: %v, want %v", what, got, wanted)
	}
}

func ptr[T any](v T) *T { return &v }

func main() {
	ctx := context.Background()
	base := os.Args[1]
	c := must(NewClientWithResponses(base))
	form := IssueTokenFormdataRequestBody{
		GrantType: "client_credentials", ClientId: ptr("erp"), ClientSecret: ptr("erp-secret"), Scope: ptr("client"),
	}
	token := must(c.IssueTokenWithFormdataBodyWithResponse(ctx, form)).JSON200.AccessToken
	c = must(NewClientWithResponses(base, WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	})))
	todos(ctx, c)
	messages(ctx, c)
}

func item(id string, version int64) UpsertTodo {
	var payload any = map[string]any{"n": 1.0}
	return UpsertTodo{
		TodoId: id, Type: "HANDLE", SourceBizId: id, AssigneeUserId: ptr("gus"), Title: "Approve", Category: "order", ActionUrl: "/" + id,
		Payload: &payload, SourceVersion: &version,
	}
}

func todos(ctx context.Context, c *ClientWithResponses) {
	batch := must(c.UpsertTodosWithResponse(ctx, nil, UpsertTodosJSONRequestBody{
		Items: []UpsertTodo{item("go-1", 2), item("go-2", 2), item("go-1", 1), item("", 1)},
	})).JSON200.Data
	want("stored, stale, failed", []int{int(batch.Stored), int(batch.Stale), int(batch.Failed)}, []int{2, 1, 1})
	want("why", batch.Results[3].Msg, "todo id must not be empty")

	var ids []string
	var payload any
	for cursor := ptr(""); cursor != nil; {
		page := must(c.ListTodosWithResponse(ctx, &ListTodosParams{
			AssigneeUsername: ptr("gus"), Cursor: cursor, View: ptr(View("full")), Size: ptr(1), Sort: ptr("id"),
		})).JSON200
		for _, t := range page.Data {
			ids, payload = append(ids, t.Id), t.Payload
		}
		cursor = must(page.Page.AsCursorPage()).NextCursor
	}
	want("the walk", ids, []string{"go-1", "go-2"})
	want("the payload", payload, any(map[string]any{"n": 1.0}))

	counted := must(c.CountListsWithResponse(ctx, &CountListsParams{Username: "gus", Lists: ptr("toHandle")}))
	want("to handle", *counted.JSON200.Data.ToHandle, int64(2))
	tag := counted.HTTPResponse.Header.Get("ETag")
	same := must(c.CountListsWithResponse(ctx, &CountListsParams{Username: "gus", Lists: ptr("toHandle"), IfNoneMatch: &tag}))
	want("the same counts", same.StatusCode(), http.StatusNotModified)

	// A list that was made a second after the last change.
	asOf := time.Time{}
	for begin := clock(counted.HTTPResponse); asOf.Sub(begin) < 2*time.Second; {
		asOf = clock(must(c.CountUnreadWithResponse(ctx, &CountUnreadParams{Username: "gus"})).HTTPResponse)
	}
	gone := must(c.ReconcileTodosWithResponse(ctx, ReconcileTodosJSONRequestBody{
		AsOf: asOf, Action: "clear", From: ptr("go-"), To: ptr("go-9"), Open: &[]OpenTodo{{TodoId: "go-2", SourceVersion: ptr(int64(3))}},
	})).JSON200.Data
	want("closed", gone.ClosedIds, []string{"go-1"})
	want("stale", gone.Stale, int64(1))

	late := must(c.UpsertTodoWithResponse(ctx, &UpsertTodoParams{View: ptr(View("full"))}, item("go-2", 1)))
	want("an older version", late.HTTPResponse.Header.Get("Hub-Stale"), "true")
	want("the stored version", *late.JSON200.Data.SourceVersion, int64(2))

	refused := must(c.SearchTodosWithResponse(ctx, &SearchTodosParams{UserId: ptr("gus"), Cursor: ptr("")}))
	want("an administrator's call", refused.StatusCode(), http.StatusForbidden)
}

// clock is Hub's time.
func clock(r *http.Response) time.Time { return must(http.ParseTime(r.Header.Get("Date"))) }

func messages(ctx context.Context, c *ClientWithResponses) {
	pushed := must(c.PushMessageWithResponse(ctx, PushMessage{
		SourceMessageId: "go-1", TargetUserIds: &[]string{"gus"}, Title: "Hello", Content: "Hello",
	}))
	want("a push", pushed.StatusCode(), http.StatusOK)
	page := must(c.ListInboxWithResponse(ctx, &ListInboxParams{Username: ptr("gus"), Cursor: ptr("")})).JSON200
	want("the inbox", page.Data[0].SourceMessageId, "go-1")
	mark := must(page.Page.AsMarkedCursorPage()).Watermark
	all := must(c.MarkAllReadWithResponse(ctx, ReadAll{Username: ptr("gus"), UpTo: *mark}))
	want("switched", int(all.JSON200.Data.Switched), 1)
}
