// Package grpcapi serves the message area as hub.message.v1.MessageService, and to Hub's own edges as
// hub.event.v1.EventService. It only translates: what a request may hold is decided in the packages
// inbox and outbox.
package grpcapi

import (
	"context"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/pbtime"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/messagehub/internal/inbox"
)

// Server is a messagev1.MessageServiceServer. Every call needs a verified caller in its context; its
// errors are faults, which the frame of pkg/grpcserver turns into a status.
type Server struct {
	messagev1.UnimplementedMessageServiceServer

	service *inbox.Service
}

// New makes a Server.
func New(s *inbox.Service) *Server { return &Server{service: s} }

// PushMessage takes the source app from the caller's token (contract, Authentication 5).
func (s *Server) PushMessage(
	ctx context.Context, in *messagev1.PushMessageRequest,
) (*messagev1.PushMessageResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	result, err := s.service.Push(ctx, caller.Client, inbox.PushRequest{
		SourceMessageID: in.GetSourceMessageId(),
		TargetUsernames: in.GetTargetUsernames(),
		TargetUserIDs:   in.GetTargetUserIds(),
		Message:         said(in),
		OccurredAt:      pbtime.Instant(in.GetOccurredAt()),
	})
	if err != nil {
		return nil, err
	}
	return &messagev1.PushMessageResponse{
		Created: int32(len(result.Created)), Duplicates: int32(result.Duplicates),
	}, nil
}

// MarkRead takes the modifier from the caller.
func (s *Server) MarkRead(
	ctx context.Context, in *messagev1.MarkReadRequest,
) (*messagev1.MarkReadResponse, error) {
	caller, err := auth.RequireFor(ctx, &in.Username)
	if err != nil {
		return nil, err
	}
	switched, err := s.service.MarkRead(ctx, caller.Name(), inbox.MarkReadRequest{
		SourceMessageID: in.GetSourceMessageId(),
		Username:        in.GetUsername(),
	})
	if err != nil {
		return nil, err
	}
	return &messagev1.MarkReadResponse{Switched: int32(switched)}, nil
}

// ListInbox answers one page of records, by its number or, with a page token, by its place.
func (s *Server) ListInbox(
	ctx context.Context, in *messagev1.ListInboxRequest,
) (*messagev1.ListInboxResponse, error) {
	if _, err := auth.RequireFor(ctx, in.Username); err != nil {
		return nil, err
	}
	page, err := s.service.List(ctx, inbox.ListRequest{
		Username:        in.Username,
		Status:          inbox.Status(in.GetStatus()),
		SourceAppID:     in.GetSourceAppId(),
		SourceMessageID: in.GetSourceMessageId(),
		Page:            in.Page,
		Size:            in.Size,
		Sort:            sort(in.GetSort()),
		Cursor:          in.PageToken,
	})
	if err != nil {
		return nil, err
	}
	return withMessages(&messagev1.ListInboxResponse{
		Page: page.Number, Size: page.Size, TotalCount: page.Total, NextPageToken: page.Next, Watermark: page.Watermark,
	}, page.Records), nil
}

// CountUnread answers how many records of a user are UNREAD.
func (s *Server) CountUnread(
	ctx context.Context, in *messagev1.CountUnreadRequest,
) (*messagev1.CountUnreadResponse, error) {
	if _, err := auth.RequireFor(ctx, &in.Username); err != nil {
		return nil, err
	}
	n, err := s.service.CountUnread(ctx, inbox.CountUnreadRequest{Username: in.GetUsername()})
	if err != nil {
		return nil, err
	}
	return &messagev1.CountUnreadResponse{Count: n}, nil
}

// MarkAllRead takes the modifier from the caller.
func (s *Server) MarkAllRead(
	ctx context.Context, in *messagev1.MarkAllReadRequest,
) (*messagev1.MarkAllReadResponse, error) {
	caller, err := auth.RequireFor(ctx, &in.Username)
	if err != nil {
		return nil, err
	}
	switched, err := s.service.MarkAllRead(ctx, caller.Name(), inbox.MarkAllReadRequest{
		Username:    in.GetUsername(),
		UpTo:        in.GetUpTo(),
		SourceAppID: in.GetSourceAppId(),
		Category:    in.GetCategory(),
	})
	if err != nil {
		return nil, err
	}
	return &messagev1.MarkAllReadResponse{Switched: switched}, nil
}

// CountUnreadBatch answers how many records of each user are UNREAD.
func (s *Server) CountUnreadBatch(
	ctx context.Context, in *messagev1.CountUnreadBatchRequest,
) (*messagev1.CountUnreadBatchResponse, error) {
	if _, err := auth.Require(ctx); err != nil {
		return nil, err
	}
	counts, err := s.service.CountUnreadBatch(ctx, inbox.CountUnreadBatchRequest{Usernames: in.GetUsernames()})
	if err != nil {
		return nil, err
	}
	return &messagev1.CountUnreadBatchResponse{Counts: counts}, nil
}
