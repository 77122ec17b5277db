package grpcapi_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus"
	"example.com/hub/services/messagehub/internal/grpcapi"
	"example.com/hub/services/messagehub/internal/inbox"
)

// scriptedStore keeps what it was called with and answers from its fields.
type scriptedStore struct {
	inbox.Store

	pushed inbox.PushParams
	listed inbox.ListParams
	walked inbox.WalkParams
	marked inbox.MarkReadParams

	markedAll inbox.MarkAllReadParams
	counted   inbox.CountUnreadBatchParams
	calls     int

	created []inbox.Created
	records []inbox.Record
}

func (s *scriptedStore) Push(_ context.Context, p inbox.PushParams) (inbox.PushResult, error) {
	s.pushed = p
	s.calls++
	return inbox.PushResult{Created: s.created, Duplicates: len(p.Targets) - len(s.created)}, nil
}

func (s *scriptedStore) List(_ context.Context, p inbox.ListParams) (inbox.ListResult, error) {
	s.listed = p
	s.calls++
	return inbox.ListResult{Records: s.records, Total: 1 << 40}, nil
}

func (s *scriptedStore) Walk(_ context.Context, p inbox.WalkParams) (inbox.WalkResult, error) {
	s.walked = p
	s.calls++
	return inbox.WalkResult{Records: s.records, Watermark: inbox.Watermark{Body: 7}}, nil
}

func (s *scriptedStore) MarkAllRead(_ context.Context, p inbox.MarkAllReadParams) (inbox.AllRead, error) {
	s.markedAll = p
	s.calls++
	return inbox.AllRead{Switched: 1 << 40, Newest: "m1", End: true}, nil
}

func (s *scriptedStore) CountUnreadBatch(_ context.Context, p inbox.CountUnreadBatchParams) ([]int64, error) {
	s.counted = p
	s.calls++
	return make([]int64, len(p.Usernames)), nil
}

func (s *scriptedStore) CountUnread(context.Context, inbox.CountUnreadParams) (int64, error) {
	s.calls++
	return 1 << 40, nil
}

func (s *scriptedStore) MarkRead(_ context.Context, p inbox.MarkReadParams) (inbox.MarkReadResult, error) {
	s.marked = p
	s.calls++
	return inbox.MarkReadResult{Switched: 2}, nil
}

type silentBus struct{}

func (silentBus) Publish(context.Context, bus.Frame) {}

func serve(store inbox.Store) *grpcapi.Server {
	return grpcapi.New(inbox.New(inbox.Deps{
		Store:     store,
		Publisher: silentBus{},
		Rules:     inbox.Rules{MaxPageSize: 200, MaxTargets: 10, ListTimeout: time.Second},
		Clock:     func() time.Time { return now },
		Logger:    slog.New(slog.DiscardHandler),
	}))
}

func as(t *testing.T, clientID string) context.Context {
	t.Helper()
	return auth.With(t.Context(), auth.Principal{Client: clientID})
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// decoded gives an answer as its caller sees it.
func decoded[M proto.Message](t *testing.T, answer M) M {
	t.Helper()
	raw, err := proto.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	seen := answer.ProtoReflect().New().Interface().(M)
	if err := proto.Unmarshal(raw, seen); err != nil {
		t.Fatal(err)
	}
	return seen
}
