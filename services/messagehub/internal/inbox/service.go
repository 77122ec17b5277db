package inbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
)

// Rules are the settings of the area.
type Rules struct {
	// MaxPageSize is the largest page of a list, from 1; a larger size is cut to it.
	MaxPageSize int64
	// MaxTargets is the largest number of target usernames of one push, repetitions included.
	MaxTargets int
	// URLSchemes, when not empty, are the only schemes of action URLs, in lower case.
	URLSchemes []string
	// ListTimeout ends a list that takes longer.
	ListTimeout time.Duration
}

// Deps are what a Service works with. All of them are needed.
type Deps struct {
	Store     Store
	Publisher bus.Publisher
	Rules     Rules
	Clock     func() time.Time
	Logger    *slog.Logger
}

// Service is the message area. It is safe for concurrent use.
type Service struct {
	store     Store
	publisher bus.Publisher
	rules     Rules
	now       func() time.Time
	log       *slog.Logger
}

// New makes a Service.
func New(d Deps) *Service {
	return &Service{store: d.Store, publisher: d.Publisher, rules: d.Rules, now: d.Clock, log: d.Logger}
}

// Push stores one record for each target user that has none yet of this client and message id, and
// publishes one message event for each (contract, push: a key that exists is ignored, without a
// second record or event). The client becomes the source app. Faults: Invalid.
func (s *Service) Push(ctx context.Context, clientID string, r PushRequest) (PushResult, error) {
	if err := r.check(s.rules); err != nil {
		return PushResult{}, err
	}
	now := field.Micro(s.now())
	p := PushParams{
		ClientID:        clientID,
		SourceMessageID: r.SourceMessageID,
		Targets:         r.targets(),
		Title:           r.Title,
		Content:         r.Content,
		Category:        r.Category,
		Actions:         r.Actions,
		OccurredAt:      now,
		Now:             now,
	}
	if r.OccurredAt != nil {
		p.OccurredAt = field.Micro(*r.OccurredAt)
	}
	result, err := s.store.Push(ctx, p)
	if err != nil {
		return PushResult{}, fmt.Errorf("push message: %w", err)
	}
	events := make([]bus.Event, len(result.Created))
	for i, c := range result.Created {
		events[i] = bus.Event{Kind: bus.Message, User: c.Username, ID: c.ID, Time: now}
	}
	s.publish(ctx, result.Position, events)
	// Whoever asks why a user heard nothing finds here that the message was a repeat.
	s.log.DebugContext(ctx, "message pushed",
		"client_id", clientID, "created", len(result.Created), "duplicates", result.Duplicates)
	return result, nil
}

// Page is a part of a list; past the end it is empty.
type Page struct {
	Records []Record
	// Number is the page that was asked for, from 0.
	Number int64
	// Size is the page size that was used.
	Size int64
	// Total is the exact number of records that match.
	Total int64
}

// List answers a page of records. Faults: Invalid; Unavailable when it took longer than the rules
// allow.
func (s *Service) List(ctx context.Context, r ListRequest) (Page, error) {
	p, err := r.params(s.rules)
	if err != nil {
		return Page{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.rules.ListTimeout, errSlowList)
	defer cancel()
	result, err := s.store.List(ctx, p)
	switch {
	case err == nil:
		return Page{Records: result.Records, Number: p.Page.Number, Size: p.Page.Size, Total: result.Total}, nil
	case errors.Is(context.Cause(ctx), errSlowList):
		return Page{}, fault.Wrap(fault.Unavailable, "the list took too long", err)
	default:
		return Page{}, fmt.Errorf("list inbox: %w", err)
	}
}

// errSlowList tells the end of a list's own time from the end of its caller's.
var errSlowList = errors.New("list timeout")

// CountUnread answers how many records of the user are Unread. Faults: Invalid.
func (s *Service) CountUnread(ctx context.Context, r CountUnreadRequest) (int64, error) {
	if err := r.check(); err != nil {
		return 0, err
	}
	n, err := s.store.CountUnread(ctx, CountUnreadParams(r))
	if err != nil {
		return 0, fmt.Errorf("count unread: %w", err)
	}
	return n, nil
}

// NewestID answers the id of the user's newest record, or "" for a user without records. Faults:
// Invalid.
func (s *Service) NewestID(ctx context.Context, r NewestIDRequest) (string, error) {
	if err := r.check(); err != nil {
		return "", err
	}
	id, err := s.store.NewestID(ctx, NewestIDParams(r))
	if err != nil {
		return "", fmt.Errorf("newest record: %w", err)
	}
	return id, nil
}

// MarkRead switches the user's Unread records of the message id, of whatever app, to Read, and
// publishes one read event per switched record (contract, mark read). It answers how many it
// switched. The client becomes the modifier. Faults: Invalid.
func (s *Service) MarkRead(ctx context.Context, clientID string, r MarkReadRequest) (int, error) {
	if err := r.check(); err != nil {
		return 0, err
	}
	now := field.Micro(s.now())
	result, err := s.store.MarkRead(ctx, MarkReadParams{
		ClientID:        clientID,
		SourceMessageID: r.SourceMessageID,
		Username:        r.Username,
		Now:             now,
	})
	if err != nil {
		return 0, fmt.Errorf("mark read: %w", err)
	}
	events := make([]bus.Event, result.Switched)
	for i := range events {
		events[i] = bus.Event{Kind: bus.Read, User: r.Username, ID: r.SourceMessageID, Time: now}
	}
	s.publish(ctx, result.Position, events)
	return result.Switched, nil
}

// publish announces committed changes. The caller may be gone by then; the users still want to hear.
func (s *Service) publish(ctx context.Context, row bus.Position, events []bus.Event) {
	if len(events) > 0 {
		s.publisher.Publish(context.WithoutCancel(ctx), bus.Frame{Position: row, Events: events})
	}
}
