package inbox_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/messagehub/internal/inbox"
)

// harness is a service on a store that answers what a test tells it to.
type harness struct {
	service *inbox.Service
	store   *scriptedStore
	bus     *recordingBus
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	h := &harness{store: &scriptedStore{}, bus: &recordingBus{}}
	h.service = inbox.New(inbox.Deps{
		Store:     h.store,
		Publisher: h.bus,
		Rules: inbox.Rules{
			MaxPageSize: 100, MaxTargets: 50, URLSchemes: []string{"https", "app"}, ListTimeout: time.Second,
		},
		Clock:  func() time.Time { return now },
		Logger: slog.New(slog.DiscardHandler),
	})
	return h
}

// scriptedStore keeps what it was called with and answers from its fields.
type scriptedStore struct {
	inbox.Store

	pushed  *inbox.PushParams
	listed  *inbox.ListParams
	walked  *inbox.WalkParams
	found   *inbox.SearchParams
	counted *inbox.CountUnreadParams
	asked   *inbox.NewestIDParams
	marked  *inbox.MarkReadParams
	batches []inbox.MarkAllReadParams
	many    *inbox.CountUnreadBatchParams

	created  []inbox.Created
	result   inbox.ListResult
	unread   int64
	switched int
	// done are what the batches of a read-all answer; without more, err.
	done      []inbox.AllRead
	watermark inbox.Watermark
	newest    string
	row       bus.Position
	err       error
	// hang makes List and Search wait for the end of its context.
	hang bool
}

func (s *scriptedStore) Push(_ context.Context, p inbox.PushParams) (inbox.PushResult, error) {
	s.pushed = &p
	return inbox.PushResult{Created: s.created, Duplicates: len(p.Targets) - len(s.created), Position: s.row}, s.err
}

func (s *scriptedStore) List(ctx context.Context, p inbox.ListParams) (inbox.ListResult, error) {
	s.listed = &p
	if s.hang {
		<-ctx.Done()
		return inbox.ListResult{}, ctx.Err()
	}
	return s.result, s.err
}

func (s *scriptedStore) Walk(_ context.Context, p inbox.WalkParams) (inbox.WalkResult, error) {
	s.walked = &p
	return inbox.WalkResult{Records: s.result.Records, Watermark: s.watermark}, s.err
}

func (s *scriptedStore) Search(ctx context.Context, p inbox.SearchParams) ([]inbox.Record, error) {
	s.found = &p
	if s.hang {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.result.Records, s.err
}

func (s *scriptedStore) CountUnread(_ context.Context, p inbox.CountUnreadParams) (int64, error) {
	s.counted = &p
	return s.unread, s.err
}

func (s *scriptedStore) NewestID(_ context.Context, p inbox.NewestIDParams) (string, error) {
	s.asked = &p
	return s.newest, s.err
}

func (s *scriptedStore) MarkRead(_ context.Context, p inbox.MarkReadParams) (inbox.MarkReadResult, error) {
	s.marked = &p
	return inbox.MarkReadResult{Switched: s.switched, Position: s.row}, s.err
}

func (s *scriptedStore) MarkAllRead(_ context.Context, p inbox.MarkAllReadParams) (inbox.AllRead, error) {
	s.batches = append(s.batches, p)
	if len(s.batches) > len(s.done) {
		return inbox.AllRead{}, s.err
	}
	return s.done[len(s.batches)-1], nil
}

func (s *scriptedStore) CountUnreadBatch(_ context.Context, p inbox.CountUnreadBatchParams) ([]int64, error) {
	s.many = &p
	return make([]int64, len(p.Usernames)), s.err
}

// recordingBus keeps the frames, and whether a context could have stopped them.
type recordingBus struct {
	frames  []bus.Frame
	stopped bool
}

func (b *recordingBus) Publish(ctx context.Context, f bus.Frame) {
	b.frames = append(b.frames, f)
	b.stopped = b.stopped || ctx.Err() != nil
}

func equal[V any](t *testing.T, what string, got, want V) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
