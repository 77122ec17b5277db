package postgres_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/field"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/redis/redistest"
	"example.com/hub/pkg/store/pg/pgtest"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/messagehub"
)

// anyone takes every call for one of a client, or of an edge that says so.
type anyone struct{}

func (anyone) Verify(_ context.Context, token string) (auth.Principal, error) {
	if token == "edge" {
		return auth.Principal{Internal: true}, nil
	}
	return auth.Principal{Client: "erp", Scopes: []string{auth.ScopeClient}}, nil
}

// serve serves a message area in memory.
func serve(t *testing.T, d messagehub.Deps) (*messagehub.Service, grpc.ClientConnInterface) {
	t.Helper()
	d.Config = messagehub.Config{MaxTargets: 1000, Config: field.Config{PageConfig: field.PageConfig{MaxPageSize: 200}, ListTimeout: patience}}
	d.Logger = slog.New(slog.DiscardHandler)
	service, err := messagehub.New(d)
	if err != nil {
		t.Fatal(err)
	}
	local := grpcserver.NewLocal(grpcserver.Options{Verifier: anyone{}, Policy: service.Policy(), Logger: d.Logger})
	service.Register(local)
	return service, local
}

// crashed is the bus of a process that dies between the commit and the announcement.
type crashed struct{}

func (crashed) Publish(context.Context, bus.Frame) {}

// TestEventsSurviveACrash is the whole way on PostgreSQL and Redis: the process that stored a message
// dies before it announces it, and another one announces it.
func TestEventsSurviveACrash(t *testing.T) {
	t.Parallel()
	events := redisBus(t, redistest.URL(t), channel())
	store := open(t, pgtest.Schema(t))
	_, dying := serve(t, messagehub.Deps{Store: store, Log: store, Publisher: crashed{}, Subscriber: events})
	alive, living := serve(t, messagehub.Deps{Store: store, Log: store, Publisher: events, Subscriber: events})
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := alive.Run(ctx); err != nil {
			t.Errorf("run: %v", err)
		}
	})
	defer running.Wait()
	defer stop()

	heard := make(chan bus.Event, 10)
	defer events.Subscribe(bus.Handler{Frame: func(f bus.Frame) {
		for _, e := range f.Events {
			heard <- e
		}
	}})()
	call := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer token")
	if _, err := messagev1.NewMessageServiceClient(dying).PushMessage(call, &messagev1.PushMessageRequest{
		SourceMessageId: "m1", TargetUsernames: []string{"bob", "ann"}, Title: "t", Content: "c",
	}); err != nil {
		t.Fatal(err)
	}
	late := time.After(patience)
	for _, user := range []string{"ann", "bob"} {
		select {
		case e := <-heard:
			if e.Kind != bus.Message || e.User != user {
				t.Errorf("heard %+v, want the message to %s", e, user)
			}
		case <-late:
			t.Fatalf("nothing was heard of the message to %s", user)
		}
	}
	edge := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer edge")
	listed, err := eventv1.NewEventServiceClient(living).ListEvents(edge, &eventv1.ListEventsRequest{RecentSeconds: 60})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(listed.GetFrames()); n != 1 || len(listed.GetFrames()[0].GetEvents()) != 2 || listed.GetFence() == nil {
		t.Errorf("listed %v, want one row of two events, and a watermark", listed)
	}
	if s := alive.Stats(); !s.Leader || s.Swept != 1 {
		t.Errorf("stats %+v, want a leader that swept one row", s)
	}
}
