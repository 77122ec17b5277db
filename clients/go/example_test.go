package hub_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	hub "example.com/hub/clients/go"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// exampleClient is the client of the examples.
func exampleClient() *hub.Client {
	client, err := hub.Dial(hub.Config{
		Target: grpcTarget, Plaintext: true,
		Tokens: hub.NewTokens(hub.Credentials{URL: restURL, ID: "erp", Secret: "erp-secret"}),
	})
	if err != nil {
		log.Panic(err)
	}
	return client
}

// nextSecond waits until a second of the clock begins.
func nextSecond() {
	now := time.Now()
	<-time.After(now.Truncate(time.Second).Add(time.Second).Sub(now))
}

func ExampleDial() {
	client, err := hub.Dial(hub.Config{
		Target:    grpcTarget, // such as hub.example.com:9090, without Plaintext
		Plaintext: true,
		Tokens:    hub.NewTokens(hub.Credentials{URL: restURL, ID: "erp", Secret: "erp-secret"}),
	})
	if err != nil {
		log.Panic(err)
	}
	defer func() { _ = client.Close() }()

	ctx := context.Background()
	if _, err := client.Todos.UpsertTodo(ctx, &todov1.UpsertTodoRequest{
		TodoId: "po-1", Type: todov1.TodoType_TODO_TYPE_HANDLE, SourceBizId: "1", AssigneeUsername: "alice",
		Title: "Approve order 1", Category: "order", ActionUrl: "https://erp.example/po/1",
	}); err != nil {
		log.Panic(err)
	}
	answer, err := client.Todos.ClearTodo(ctx, &todov1.ClearTodoRequest{TodoId: "po-1", Result: "approved"})
	if err != nil {
		log.Panic(err)
	}
	fmt.Println(answer.GetTodo().GetStatus(), answer.GetTodo().GetResult())
	// Output: TODO_STATUS_CLEARED approved
}

func ExampleError() {
	client := exampleClient()
	defer func() { _ = client.Close() }()

	_, err := client.Todos.ClearTodo(context.Background(), &todov1.ClearTodoRequest{TodoId: "po-404", Result: "approved"})
	var e *hub.Error
	if errors.As(err, &e) && e.Code == codes.NotFound {
		fmt.Println("nothing to clear:", e.Resource)
	}
	_, err = client.Todos.UpsertTodo(context.Background(), &todov1.UpsertTodoRequest{TodoId: "po-2"})
	if errors.As(err, &e) && e.Code == codes.InvalidArgument {
		fmt.Println(e.Field+":", e.Message)
	}
	// Output:
	// nothing to clear: po-404
	// type: type must not be empty
}

func ExampleClient_Push() {
	client := exampleClient()
	defer func() { _ = client.Close() }()

	message := &messagev1.PushMessageRequest{
		SourceMessageId: "maintenance-7", Title: "Maintenance", Content: "Tonight at ten.", OccurredAt: timestamppb.Now(),
	}
	for i := range 12_000 {
		message.TargetUsernames = append(message.TargetUsernames, fmt.Sprintf("worker-%d", i))
	}
	done, err := client.Push(context.Background(), message)
	fmt.Println(done.Created, "have it,", done.Duplicates, "had it,", err)

	// After an error the rest, message.TargetUsernames[done.Targets:], is enough; but all may be pushed again.
	done, err = client.Push(context.Background(), message)
	fmt.Println(done.Created, "have it,", done.Duplicates, "had it,", err)
	// Output:
	// 12000 have it, 0 had it, <nil>
	// 0 have it, 12000 had it, <nil>
}

func ExampleClient_UpsertTodos() {
	client := exampleClient()
	defer func() { _ = client.Close() }()

	var items []*todov1.UpsertTodoRequest
	for i := range 1200 {
		items = append(items, &todov1.UpsertTodoRequest{
			TodoId: fmt.Sprintf("batch-%04d", i), Type: todov1.TodoType_TODO_TYPE_REVIEW, SourceBizId: "1",
			AssigneeUsername: "batch", Title: "Read this", Category: "order", ActionUrl: "https://erp.example/po",
		})
	}
	items[700].Title = ""
	results, err := client.UpsertTodos(context.Background(), items)
	if err != nil {
		log.Printf("go on with items[%d:]: %v", len(results), err)
	}
	for _, r := range results {
		if r.GetError() != "" {
			fmt.Println(r.GetTodoId()+":", r.GetError())
		}
	}
	fmt.Println(len(results), "results")
	// Output:
	// batch-0700: title must not be empty
	// 1200 results
}

func ExampleClient_ReconcileTodos() {
	client := exampleClient()
	defer func() { _ = client.Close() }()

	ctx := context.Background()
	for _, id := range []string{"leave-1", "leave-2", "leave-3"} {
		if _, err := client.Todos.UpsertTodo(ctx, &todov1.UpsertTodoRequest{
			TodoId: id, Type: todov1.TodoType_TODO_TYPE_HANDLE, SourceBizId: id, AssigneeUsername: "bob",
			Title: "Approve leave", Category: "leave", ActionUrl: "https://hr.example/" + id,
		}); err != nil {
			log.Panic(err)
		}
	}
	nextSecond() // what changed in the second of AsOf is left alone

	// Of these only leave-2 is open at the source. A run that is not dry closes the others.
	answer, err := client.ReconcileTodos(ctx, &todov1.ReconcileTodosRequest{
		AsOf: timestamppb.Now(), From: "leave-", To: proto.String("leave."),
		Open:   []*todov1.OpenTodo{{TodoId: "leave-2"}},
		Action: todov1.ReconcileAction_RECONCILE_ACTION_INVALIDATE, Result: proto.String("withdrawn"), DryRun: true,
	})
	if err != nil {
		log.Panic(err)
	}
	fmt.Println(answer.GetClosed(), answer.GetClosedIds())
	// Output: 2 [leave-1 leave-3]
}

func ExampleClient_WalkTodos() {
	client := exampleClient()
	defer func() { _ = client.Close() }()

	ctx := context.Background()
	for i := range 3 {
		if _, err := client.Todos.UpsertTodo(ctx, &todov1.UpsertTodoRequest{
			TodoId: fmt.Sprintf("walk-%d", i), Type: todov1.TodoType_TODO_TYPE_HANDLE, SourceBizId: "1", AssigneeUsername: "carol",
			Title: "Approve", Category: "order", ActionUrl: "https://erp.example/po",
		}); err != nil {
			log.Panic(err)
		}
	}
	for todo, err := range client.WalkTodos(ctx, &todov1.ListTodosRequest{
		AssigneeUsername: proto.String("carol"), Sort: &todov1.TodoSort{Field: todov1.TodoSortField_TODO_SORT_FIELD_ID},
	}) {
		if err != nil {
			log.Panic(err)
		}
		fmt.Println(todo.GetId())
	}
	// Output:
	// walk-0
	// walk-1
	// walk-2
}

func ExampleWatcher_Events() {
	client := exampleClient()
	defer func() { _ = client.Close() }()

	watcher := hub.Watcher{
		URL: restURL, User: "dave", Tokens: hub.NewTokens(hub.Credentials{URL: restURL, ID: "portal", Secret: "portal-secret"}),
		Broken: func(err error, wait time.Duration) { log.Printf("%v; again in %v", err, wait) },
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for event, err := range watcher.Events(ctx) {
		if err != nil {
			log.Panic(err)
		}
		count, err := client.Messages.CountUnread(ctx, &messagev1.CountUnreadRequest{Username: "dave"})
		if err != nil {
			log.Panic(err)
		}
		fmt.Println(event.Type, count.GetCount())
		if event.Type != hub.Opened {
			break
		}
		if _, err := client.Messages.PushMessage(ctx, &messagev1.PushMessageRequest{
			SourceMessageId: "hello", TargetUsernames: []string{"dave"}, Title: "Hello", Content: "From ERP.",
		}); err != nil {
			log.Panic(err)
		}
	}
	// Output:
	// open 0
	// message 1
}

func ExampleTokens() {
	tokens := hub.NewTokens(hub.Credentials{URL: restURL, ID: "erp", Secret: "erp-secret", Scopes: []string{"client"}})
	token, err := tokens.Token(context.Background())
	if err != nil {
		log.Panic(err)
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, restURL+"/message-hub/unread-count?username=erin", http.NoBody)
	if err != nil {
		log.Panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Panic(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode == http.StatusUnauthorized {
		tokens.Refused(token) // and once more, with another token
	}
	body, err := io.ReadAll(answer.Body)
	fmt.Print(string(body), err)
	// Output:
	// {"code":"0","msg":"ok","data":0}
	// <nil>
}
