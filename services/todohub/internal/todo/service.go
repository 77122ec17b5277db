package todo

import (
	"log/slog"
	"slices"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/field"
)

// Rules are the settings of the area.
type Rules struct {
	// SourceOwned lets only the client that created an item change it, and the Operators.
	SourceOwned bool
	// Operators are the clients that may change any item.
	Operators []string
	// MaxPageSize is the largest page of a list, from 1; a larger size is cut to it.
	MaxPageSize int64
	// URLSchemes, when not empty, are the only schemes of action URLs, in lower case.
	URLSchemes []string
	// ListTimeout ends a list, or a count of lists, that takes longer.
	ListTimeout time.Duration
}

// Deps are what a Service works with. All of them are needed.
type Deps struct {
	Store Store
	// Publisher hears of every change of an item, after the commit.
	Publisher bus.Publisher
	Rules     Rules
	Clock     func() time.Time
	Logger    *slog.Logger
}

// Service is the todo area. It is safe for concurrent use.
type Service struct {
	store     Store
	publisher bus.Publisher
	doubts    *doubts
	rules     Rules
	now       func() time.Time
	log       *slog.Logger
}

// New makes a Service.
func New(d Deps) *Service {
	return &Service{store: d.Store, publisher: d.Publisher, doubts: newDoubts(), rules: d.Rules, now: d.Clock, log: d.Logger}
}

func (s *Service) stamp(clientID string) Stamp {
	st := Stamp{ClientID: clientID, Now: field.Micro(s.now())}
	if s.rules.SourceOwned && !slices.Contains(s.rules.Operators, clientID) {
		st.Owner = clientID
	}
	return st
}
