// Package grpcapi serves the portal's hub by gRPC. It only translates: what a request may hold is decided in
// the domains.
package grpcapi

import (
	"context"

	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	"example.com/hub/services/portalhub/internal/session"
)

// Sessions is a peoplev1.SessionServiceServer. It is for Hub's own edges: the policy must admit nobody else.
// Its errors are faults, which the frame of pkg/grpcserver turns into a status.
type Sessions struct {
	peoplev1.UnimplementedSessionServiceServer

	service *session.Service
}

// NewSessions makes a Sessions.
func NewSessions(s *session.Service) *Sessions { return &Sessions{service: s} }

// BeginSession adds a session.
func (s *Sessions) BeginSession(
	ctx context.Context, in *peoplev1.BeginSessionRequest,
) (*peoplev1.BeginSessionResponse, error) {
	err := s.service.Begin(ctx, session.BeginRequest{
		Hash: in.GetHash(), Username: in.GetUsername(), Claims: in.GetClaims(),
	})
	return &peoplev1.BeginSessionResponse{}, err
}

// RenewSession tells whether a session lives.
func (s *Sessions) RenewSession(
	ctx context.Context, in *peoplev1.RenewSessionRequest,
) (*peoplev1.RenewSessionResponse, error) {
	found, err := s.service.Renew(ctx, session.RenewRequest{
		Hash: in.GetHash(), Idle: in.GetIdle().AsDuration(), Lifetime: in.GetLifetime().AsDuration(), Passive: in.GetPassive(),
	})
	return &peoplev1.RenewSessionResponse{Active: found.Active, Claims: found.Claims, RoleIds: found.Roles}, err
}

// EndSession ends a session.
func (s *Sessions) EndSession(
	ctx context.Context, in *peoplev1.EndSessionRequest,
) (*peoplev1.EndSessionResponse, error) {
	return &peoplev1.EndSessionResponse{}, s.service.End(ctx, session.EndRequest{Hash: in.GetHash()})
}
