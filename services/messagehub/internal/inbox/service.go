package inbox

import (
	"log/slog"
	"time"

	"example.com/hub/pkg/bus"
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

func (s *Service) stamp(clientID string) Stamp {
	return Stamp{ClientID: clientID, Now: field.Micro(s.now())}
}
