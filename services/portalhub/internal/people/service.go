package people

import (
	"log/slog"
	"strings"
	"time"

	"example.com/hub/pkg/field"
)

// Rules are the settings of the area.
type Rules struct {
	// CreateAtLogin makes people of those who log in and are unknown.
	CreateAtLogin bool
	// MaxPageSize is the largest page of a list, from 1; a larger size is cut to it.
	MaxPageSize int64
	// ListTimeout ends a list that takes longer.
	ListTimeout time.Duration
}

// Deps are what a Service works with. All of them are needed.
type Deps struct {
	Store Store
	Rules Rules
	Clock func() time.Time
	// Logger gets a line with audit=true for each change that a feed made.
	Logger *slog.Logger
}

// Service is the directory. It is safe for concurrent use.
type Service struct {
	store Store
	rules Rules
	now   func() time.Time
	audit *slog.Logger
}

// New makes a Service.
func New(d Deps) *Service {
	return &Service{store: d.Store, rules: d.Rules, now: d.Clock, audit: d.Logger.With("audit", true)}
}

func (s *Service) stamp(name string) Stamp { return Stamp{By: name, Now: field.Micro(s.now())} }

// lastTexts stands behind every other text of MaxName characters.
var lastTexts = strings.Repeat("\U0010FFFF", MaxName)
