package messagehub

import (
	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/field"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/ratelimit"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/messagehub/internal/inbox"
)

// targetsPerUnit is how many targets of a push cost as much as another call: about so many rows are
// stored in the time of one.
const targetsPerUnit = 100

// Policy says who may call each method (contract, Authentication 1); a user may see her own inbox, and an
// administrator those of all. The events are for Hub's own edges.
func (s *Service) Policy() auth.Policy {
	client, user := auth.Rule{Scope: auth.ScopeClient}, auth.Rule{Scope: auth.ScopeClient, User: true}
	admin, edge := auth.Rule{Permission: auth.PermissionMessages}, auth.Rule{Internal: true}
	return auth.Policy{
		messagev1.MessageService_PushMessage_FullMethodName:      client,
		messagev1.MessageService_ListInbox_FullMethodName:        user,
		messagev1.MessageService_CountUnread_FullMethodName:      user,
		messagev1.MessageService_MarkRead_FullMethodName:         user,
		messagev1.MessageService_MarkAllRead_FullMethodName:      user,
		messagev1.MessageService_CountUnreadBatch_FullMethodName: {Scope: auth.ScopeClient, Internal: true},
		messagev1.InboxAdminService_SearchInbox_FullMethodName:   admin,
		messagev1.InboxAdminService_AdminMarkRead_FullMethodName: admin,
		eventv1.EventService_ListEvents_FullMethodName:           edge,
		eventv1.EventService_GetNewestRecord_FullMethodName:      edge,
	}
}

// Charges say what the calls take of their client's limits. A push costs more with its targets. The
// events are for Hub's own edges and free.
func (s *Service) Charges() ratelimit.Charges {
	return ratelimit.Charges{
		messagev1.MessageService_PushMessage_FullMethodName:      {Area: ratelimit.Writes, Cost: costOfPush},
		messagev1.MessageService_ListInbox_FullMethodName:        {Area: ratelimit.Reads},
		messagev1.MessageService_CountUnread_FullMethodName:      {Area: ratelimit.Reads},
		messagev1.MessageService_MarkRead_FullMethodName:         {Area: ratelimit.Writes},
		messagev1.MessageService_MarkAllRead_FullMethodName:      {Area: ratelimit.Writes},
		messagev1.MessageService_CountUnreadBatch_FullMethodName: {Area: ratelimit.Reads, Cost: costOfCounts},
		messagev1.InboxAdminService_SearchInbox_FullMethodName:   {Area: ratelimit.Reads},
		messagev1.InboxAdminService_AdminMarkRead_FullMethodName: {Area: ratelimit.Writes},
	}
}

// Entries are the lengths of the lists in requests, above which they are not decoded.
func (s *Service) Entries() grpcserver.Entries {
	return grpcserver.Entries{
		"hub.message.v1.PushMessageRequest.target_usernames": s.maxTargets,
		"hub.message.v1.PushMessageRequest.target_user_ids":  s.maxTargets,
		"hub.message.v1.PushMessageRequest.actions":          inbox.MaxActions,
		"hub.message.v1.CountUnreadBatchRequest.usernames":   inbox.MaxCounted,
		"hub.message.v1.InboxUsers.usernames":                field.MaxSearched,
	}
}

// costOfPush gives the units of a push.
func costOfPush(request any) int {
	push, ok := request.(*messagev1.PushMessageRequest)
	if !ok {
		return 1
	}
	return 1 + max(len(push.GetTargetUsernames()), len(push.GetTargetUserIds()))/targetsPerUnit
}

// costOfCounts gives the units of the counts of many users: one each.
func costOfCounts(request any) int {
	count, ok := request.(*messagev1.CountUnreadBatchRequest)
	if !ok {
		return 1
	}
	return max(1, len(count.GetUsernames()))
}
