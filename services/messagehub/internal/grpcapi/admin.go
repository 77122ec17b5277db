package grpcapi

import (
	"context"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/field"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/messagehub/internal/inbox"
)

// Admin is a messagev1.InboxAdminServiceServer. The policy must admit administrators alone. Its errors are
// like Server's.
type Admin struct {
	messagev1.UnimplementedInboxAdminServiceServer

	service *inbox.Service
}

// NewAdmin makes an Admin.
func NewAdmin(s *inbox.Service) *Admin { return &Admin{service: s} }

// SearchInbox answers a page of the records of many users.
func (s *Admin) SearchInbox(
	ctx context.Context, in *messagev1.SearchInboxRequest,
) (*messagev1.SearchInboxResponse, error) {
	r := inbox.SearchRequest{
		SourceAppID: in.GetSourceAppId(),
		Status:      inbox.Status(in.GetStatus()),
		Size:        in.Size,
		Cursor:      in.GetPageToken(),
	}
	if users := in.GetUsers(); users != nil {
		r.Users = &field.Users{Names: users.GetUsernames(), ChosenBy: users.GetChosenBy()}
	}
	page, err := s.service.Search(ctx, r)
	if err != nil {
		return nil, err
	}
	return withMessages(&messagev1.SearchInboxResponse{Size: page.Size, NextPageToken: page.Next}, page.Records), nil
}

// AdminMarkRead takes the modifier from the caller.
func (s *Admin) AdminMarkRead(
	ctx context.Context, in *messagev1.AdminMarkReadRequest,
) (*messagev1.AdminMarkReadResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	switched, err := s.service.MarkRead(ctx, caller.Name(), inbox.MarkReadRequest{
		SourceMessageID: in.GetSourceMessageId(), Username: in.GetUsername(),
	})
	if err != nil {
		return nil, err
	}
	return &messagev1.AdminMarkReadResponse{Switched: int32(switched)}, nil
}
