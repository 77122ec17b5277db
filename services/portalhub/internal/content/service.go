package content

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
	"example.com/hub/services/portalhub/internal/visibility"
)

// Rules are the settings of lists.
type Rules struct {
	// MaxPageSize is the largest page.
	MaxPageSize int64
	// ListTimeout is the longest that a list may take.
	ListTimeout time.Duration
}

// Deps are what a Service works with. All of them are needed.
type Deps struct {
	Store Store
	// Subjects know who a viewer is.
	Subjects visibility.Subjects
	Rules    Rules
	Clock    func() time.Time
	Logger   *slog.Logger
}

// Service is the content area. It is safe for concurrent use.
type Service struct {
	store    Store
	subjects visibility.Subjects
	rules    Rules
	now      func() time.Time
	logger   *slog.Logger
}

// New makes a Service.
func New(d Deps) *Service { return &Service{d.Store, d.Subjects, d.Rules, d.Clock, d.Logger} }

func (s *Service) stamp(by string) Stamp { return Stamp{By: by, Now: field.Micro(s.now())} }

// errSlowList tells the end of a list's own time from the end of its caller's.
var errSlowList = errors.New("list timeout")

func (s *Service) listTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.rules.ListTimeout, errSlowList)
}

// slow says of an error whether the time of the list is over.
func slow(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errSlowList) {
		return fault.Wrap(fault.Unavailable, "the list took too long", err)
	}
	return err
}
