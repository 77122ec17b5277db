package session

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/fault"
)

// Person is who logged in.
type Person struct {
	// Username must keep the rules of usernames.
	Username string
	// Name is what people call her; it may be empty.
	Name string
	// Claims are the roles that her provider named, and Permissions what they let her do beyond her own things.
	Claims, Permissions []string
}

// Begin begins a session with a new id, ends that of the cookie that the request has, and adds the cookie
// to the answer's header. The error is a fault of kind Unavailable while the store is away; nothing has
// changed then.
func (s *Sessions) Begin(w http.ResponseWriter, r *http.Request, p Person) error {
	ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
	defer cancel()
	now := s.deps.Clock()
	c := content{
		Secret: newSecret(), Username: p.Username, Name: shownName(p.Name), Permissions: p.Permissions,
		Begun: now.UnixMilli(), Renewed: now.UnixMilli(),
	}
	begun := time.UnixMilli(c.Begun)
	err := s.deps.Store.Begin(ctx, Row{
		ID: c.id(), Username: p.Username, Claims: p.Claims, Permissions: p.Permissions, Begun: begun, Renewed: begun,
	})
	if err != nil {
		return fault.Wrap(fault.Unavailable, "sessions cannot be begun at the moment", err)
	}
	if err := s.set(w, c); err != nil {
		return fault.Wrap(fault.Internal, "internal error", err)
	}
	s.stats.begun.Add(1)
	s.deps.Logger.DebugContext(ctx, "session begun", slog.String("user", p.Username), slog.String("session", c.id()))
	if old, err := s.read(r); err == nil {
		// That it goes on until it is idle would be no reason not to log in.
		_ = s.end(ctx, old.session(s.deps.Config.Lifetime))
	}
	return nil
}

// End ends a session everywhere, with its streams and sockets, and takes the cookie from the browser. The
// error is a fault of kind Unavailable while the store is away; nothing has changed then.
func (s *Sessions) End(w http.ResponseWriter, r *http.Request, session Session) error {
	ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
	defer cancel()
	if err := s.end(ctx, session); err != nil {
		return err
	}
	s.clear(w)
	return nil
}

func (s *Sessions) end(ctx context.Context, session Session) error {
	if err := s.deps.Store.End(ctx, session.ID); err != nil {
		return fault.Wrap(fault.Unavailable, "sessions cannot be ended at the moment", err)
	}
	s.stats.ended.Add(1)
	s.deps.Logger.InfoContext(ctx, "session ended", slog.String("user", session.Username), slog.String("session", session.ID))
	s.forget(session.Username, session.ID)
	s.deps.Bus.Publish(ctx, bus.Frame{Events: []bus.Event{
		{Kind: bus.SessionEnd, User: session.Username, ID: session.ID, Time: s.deps.Clock()},
	}})
	return nil
}

// forget refuses a session from now on, and tells whoever watches.
func (s *Sessions) forget(user, id string) {
	s.ended.add(id, s.deps.Clock())
	s.mu.Lock()
	watchers := s.watchers
	s.mu.Unlock()
	for _, ended := range watchers {
		ended(user, id)
	}
}

// Ended tells whether this edge knows that a session was ended.
func (s *Sessions) Ended(id string) bool { return s.ended.has(id, s.deps.Clock()) }

// Watch calls ended for each session of which this edge learns that it has ended, for the life of Sessions.
// It must not block, and may be called more than once for a session.
func (s *Sessions) Watch(ended func(user, session string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watchers = append(slices.Clone(s.watchers), ended)
}

// Subscribe implements bus.Subscriber: it hears the ends of sessions, and leaves everything else to h.
func (s *Sessions) Subscribe(h bus.Handler) (cancel func()) {
	return s.deps.Bus.Subscribe(bus.Handler{Gap: h.Gap, Frame: func(f bus.Frame) {
		for _, e := range f.Events {
			if e.Kind == bus.SessionEnd {
				s.forget(strings.Clone(e.User), strings.Clone(e.ID)) // they are parts of the frame
			}
		}
		h.Frame(f)
	}})
}
