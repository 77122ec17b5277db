package hub_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	hub "example.com/hub/clients/go"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// erp is a client of a Hub through a proxy, or without one.
func erp(t *testing.T, target, rest string) *hub.Client {
	t.Helper()
	return dial(t, hub.Config{
		Target: target, Plaintext: true,
		Tokens: hub.NewTokens(hub.Credentials{URL: rest, ID: "erp", Secret: "erp-secret"}),
	})
}

// soon ends when a test has waited too long for events.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func todo(id, user string) *todov1.UpsertTodoRequest {
	return &todov1.UpsertTodoRequest{
		TodoId: id, Type: todov1.TodoType_TODO_TYPE_HANDLE, SourceBizId: "1", AssigneeUsername: user, Title: "Approve",
		Category: "order", ActionUrl: "https://erp.example/po",
	}
}

// push stores a message and gives the id of its record.
func push(t *testing.T, c *hub.Client, user, id string) (record string) {
	t.Helper()
	if _, err := c.Push(t.Context(), &messagev1.PushMessageRequest{
		SourceMessageId: id, TargetUsernames: []string{user}, Title: "Hello", Content: "From ERP.",
	}); err != nil {
		t.Fatal(err)
	}
	for m, err := range c.WalkInbox(t.Context(), &messagev1.ListInboxRequest{Username: &user, SourceMessageId: id}) {
		if err != nil {
			t.Fatal(err)
		}
		return m.GetId()
	}
	t.Fatalf("the message %s is not stored", id)
	return ""
}

func TestCallsSurviveCutConnections(t *testing.T) {
	t.Parallel()
	p := newProxy(t, grpcTarget)
	client := erp(t, p.address(), restURL)
	user := fresh(t, "user")
	var calls sync.WaitGroup
	for worker := range 4 {
		calls.Go(func() {
			for i := range 25 {
				if worker == 0 && i%5 == 0 {
					p.cut()
				}
				if _, err := client.Todos.UpsertTodo(t.Context(), todo(fmt.Sprintf("%s-%d-%d", user, worker, i), user)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	calls.Wait()
	stored := 0
	for _, err := range client.WalkTodos(t.Context(), &todov1.ListTodosRequest{AssigneeUsername: &user, Size: proto.Int64(7)}) {
		if err != nil {
			t.Fatal(err)
		}
		stored++
	}
	if stored != 100 {
		t.Errorf("%d todos are stored, want 100", stored)
	}
}

func TestClientKeepsToItsLimit(t *testing.T) {
	t.Parallel()
	p := started(t, t.TempDir(), "HUB_LIMIT_WRITES=4", "HUB_LIMIT_BURST=1s")
	client := erp(t, p.grpc, p.rest)
	for i := range 7 {
		if _, err := client.Todos.UpsertTodo(t.Context(), todo(fmt.Sprint(i), "amy")); err != nil {
			t.Error(err)
		}
	}
}

func TestWrongSecretIsToldWithoutRepeats(t *testing.T) {
	client := dial(t, hub.Config{
		Target: grpcTarget, Plaintext: true, Tokens: hub.NewTokens(hub.Credentials{URL: restURL, ID: "erp", Secret: "wrong"}),
	})
	began := time.Now()
	_, err := client.Todos.UpsertTodo(t.Context(), todo("po-1", "amy"))
	if codeOf(err) != codes.Unauthenticated || time.Since(began) > 10*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

func TestWatcherMissesNothingWhenItsConnectionIsCut(t *testing.T) {
	t.Parallel()
	p := newProxy(t, restURL)
	client := erp(t, grpcTarget, restURL)
	user := fresh(t, "user")
	w := hub.Watcher{URL: "http://" + p.address(), User: user, Tokens: hub.NewTokens(hub.Credentials{URL: restURL, ID: "portal", Secret: "portal-secret"})}
	var want, got []string
	breaks := 0
	// What is stored while the watcher is away comes when it is back, in order.
	w.Broken = func(error, time.Duration) {
		breaks++
		for i := range 3 {
			want = append(want, push(t, client, user, fmt.Sprintf("away-%d-%d", breaks, i)))
		}
	}
	for event, err := range w.Events(soon(t)) {
		switch {
		case err != nil:
			t.Fatal(err)
		case event.Type == hub.Opened && breaks == 0:
			want = append(want, push(t, client, user, "first"))
		case event.Type == hub.MessageStored:
			if event.LastEventID != event.ID {
				t.Errorf("the last event id of %q is %q", event.ID, event.LastEventID)
			}
			if got = append(got, event.ID); len(got) == len(want) && breaks < 2 {
				p.cut()
			}
		}
		if len(got) == 7 {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the events are of\n%q, want\n%q", got, want)
	}
}

func TestWatcherIsToldToLookAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := started(t, dir)
	client := erp(t, first.grpc, first.rest)
	var again sync.Once
	var want []string
	w := hub.Watcher{
		URL: first.rest, User: "amy", Topics: []string{hub.TopicInbox, hub.TopicTodo},
		Tokens: hub.NewTokens(hub.Credentials{URL: first.rest, ID: "portal", Secret: "portal-secret"}),
	}
	w.Broken = func(error, time.Duration) {
		again.Do(func() {
			second := started(t, dir, "HUB_HTTP_ADDR="+strings.TrimPrefix(first.rest, "http://"), "HUB_GRPC_ADDR="+first.grpc)
			client := erp(t, second.grpc, second.rest)
			push(t, client, "amy", "away-1")
			// The new process has no events of the old one's time, so it names the newest record.
			want = append(want, "open ", "todo ", "message "+push(t, client, "amy", "away-2"))
		})
	}
	var got []string
	for event, err := range w.Events(soon(t)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(event.Type)+" "+event.ID)
		switch len(got) {
		case 1:
			want = append(want, "open ", "message "+push(t, client, "amy", "first"))
		case 2:
			first.kill()
		}
		if len(got) == 5 {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the events are\n%q, want\n%q", got, want)
	}
}
