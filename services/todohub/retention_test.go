package todohub_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/bus/bustest"
	"example.com/hub/pkg/grpcserver"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/todohub"
)

// TestFinishedTodosGoWhenTheyAreOld lets two days pass for a todo that was cleared and one that is open.
func TestFinishedTodosGoWhenTheyAreOld(t *testing.T) {
	for setting, kept := range map[string]bool{"HUB_TODO_RETENTION=1d": false, "HUB_TODO_RETENTION=3d": true, "HUB_TODO_RETENTION=": true} {
		t.Run(setting, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, err := load(t, setting)
				if err != nil {
					t.Fatal(err)
				}
				service, err := todohub.New(todohub.Deps{Config: c, Store: openStore(t), Publisher: &bustest.Recorder{}})
				if err != nil {
					t.Fatal(err)
				}
				local := grpcserver.NewLocal(grpcserver.Options{Verifier: tokens{}, Policy: service.Policy()})
				service.Register(local)
				client := todov1.NewTodoServiceClient(local)
				for _, id := range []string{"old", "open"} {
					if _, err := client.UpsertTodo(as(t, "erp/client"), request(id)); err != nil {
						t.Fatal(err)
					}
				}
				clearOld := func() error {
					_, err := client.ClearTodo(as(t, "erp/client"), &todov1.ClearTodoRequest{TodoId: "old", Result: "done"})
					return err
				}
				if err := clearOld(); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 48*time.Hour)
				defer cancel()
				if err := service.Run(ctx); err != nil {
					t.Error(err)
				}
				want := codes.NotFound
				if kept {
					want = codes.OK
				}
				if err := clearOld(); status.Code(err) != want {
					t.Errorf("a todo that was cleared two days ago: %v, want %v", err, want)
				}
				_, err = client.ClearTodo(as(t, "erp/client"), &todov1.ClearTodoRequest{TodoId: "open", Result: "done"})
				if err != nil {
					t.Errorf("a todo that is open: %v", err)
				}
			})
		})
	}
}
