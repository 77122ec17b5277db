package session

import (
	"context"

	"google.golang.org/protobuf/types/known/durationpb"

	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	"example.com/hub/services/edge/internal/permission"
)

// Rows is a Store in portalhub, which all edges share. It goes by the clock of portalhub.
type Rows struct {
	calls       peoplev1.SessionServiceClient
	permissions permission.Map
}

var _ Store = (*Rows)(nil)

// NewRows makes a store. Calls must be those of an edge.
func NewRows(calls peoplev1.SessionServiceClient, permissions permission.Map) *Rows {
	return &Rows{calls: calls, permissions: permissions}
}

// Begin implements Store.
func (s *Rows) Begin(ctx context.Context, row Row) error {
	_, err := s.calls.BeginSession(ctx, &peoplev1.BeginSessionRequest{
		Hash: row.ID, Username: row.Username, Claims: row.Claims,
	})
	return err //nolint:wrapcheck // it says enough
}

// Renew implements Store. A session without a row has ended, since every edge would know it.
func (s *Rows) Renew(ctx context.Context, p RenewParams) ([]string, error) {
	found, err := s.calls.RenewSession(ctx, &peoplev1.RenewSessionRequest{
		Hash: p.ID, Idle: durationpb.New(p.Idle), Lifetime: durationpb.New(p.Lifetime), Passive: p.Passive,
	})
	switch {
	case err != nil:
		return nil, err //nolint:wrapcheck // it says enough
	case !found.GetActive():
		return nil, ErrEnded
	}
	return s.permissions.Of(found.GetClaims(), found.GetRoleIds()), nil
}

// End implements Store.
func (s *Rows) End(ctx context.Context, id string) error {
	_, err := s.calls.EndSession(ctx, &peoplev1.EndSessionRequest{Hash: id})
	return err //nolint:wrapcheck // it says enough
}
