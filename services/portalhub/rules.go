package portalhub

import (
	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/field"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/ratelimit"
	appv1 "example.com/hub/proto/gen/go/hub/app/v1"
	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	"example.com/hub/services/portalhub/internal/people"
	"example.com/hub/services/portalhub/internal/session"
	"example.com/hub/services/portalhub/internal/visibility"
)

// Policy says who may call each method. Sessions, and what is asked of people, are for Hub's own edges.
func (s *Service) Policy() auth.Policy {
	edge, user, apps := auth.Rule{Internal: true}, auth.Rule{User: true}, auth.Rule{Permission: auth.PermissionApps}
	feed, editor := auth.Rule{Scope: auth.ScopeDirectory}, auth.Rule{Permission: auth.PermissionContent}
	return auth.Policy{
		peoplev1.DirectoryService_UpsertUsers_FullMethodName:      feed,
		peoplev1.DirectoryService_UpsertDepartment_FullMethodName: feed,
		peoplev1.DirectoryService_UpsertRole_FullMethodName:       feed,
		peoplev1.DirectoryService_ReconcileUsers_FullMethodName:   feed,
		peoplev1.DirectoryService_ListUsers_FullMethodName: {
			Scope: auth.ScopeDirectory, Permission: auth.PermissionDirectory,
		},

		peoplev1.PeopleService_LogIn_FullMethodName:        edge,
		peoplev1.PeopleService_GetPerson_FullMethodName:    edge,
		peoplev1.PeopleService_ResolveUsers_FullMethodName: edge,
		peoplev1.PeopleService_SelectUsers_FullMethodName:  edge,

		peoplev1.SessionService_BeginSession_FullMethodName: edge,
		peoplev1.SessionService_RenewSession_FullMethodName: edge,
		peoplev1.SessionService_EndSession_FullMethodName:   edge,

		appv1.AppService_ListVisibleApps_FullMethodName: user,
		appv1.AppService_ResolveJump_FullMethodName:     user,
		appv1.AppService_ListApps_FullMethodName:        apps,
		appv1.AppService_CreateApp_FullMethodName:       apps,
		appv1.AppService_UpdateApp_FullMethodName:       apps,
		appv1.AppService_EnableApp_FullMethodName:       apps,
		appv1.AppService_DisableApp_FullMethodName:      apps,

		contentv1.ContentService_ListFeed_FullMethodName:         user,
		contentv1.ContentService_ReadArticle_FullMethodName:      user,
		contentv1.ContentService_ListChannels_FullMethodName:     editor,
		contentv1.ContentService_CreateChannel_FullMethodName:    editor,
		contentv1.ContentService_UpdateChannel_FullMethodName:    editor,
		contentv1.ContentService_EnableChannel_FullMethodName:    editor,
		contentv1.ContentService_DisableChannel_FullMethodName:   editor,
		contentv1.ContentService_ListArticles_FullMethodName:     editor,
		contentv1.ContentService_GetArticle_FullMethodName:       editor,
		contentv1.ContentService_CreateArticle_FullMethodName:    editor,
		contentv1.ContentService_UpdateArticle_FullMethodName:    editor,
		contentv1.ContentService_PublishArticle_FullMethodName:   editor,
		contentv1.ContentService_UnpublishArticle_FullMethodName: editor,
		contentv1.ContentService_PinArticle_FullMethodName:       editor,
		contentv1.ContentService_UnpinArticle_FullMethodName:     editor,
		contentv1.FileService_UploadFile_FullMethodName:          {Permission: auth.PermissionContent},
		contentv1.FileService_DownloadFile_FullMethodName:        user,
	}
}

// Charges say what the calls take of their caller's limits. Those of Hub's own edges are free.
func (s *Service) Charges() ratelimit.Charges {
	reads, writes := ratelimit.Charge{Area: ratelimit.Reads}, ratelimit.Charge{Area: ratelimit.Writes}
	return ratelimit.Charges{
		appv1.AppService_ListVisibleApps_FullMethodName: reads,
		appv1.AppService_ResolveJump_FullMethodName:     reads,
		appv1.AppService_ListApps_FullMethodName:        reads,
		appv1.AppService_CreateApp_FullMethodName:       writes,
		appv1.AppService_UpdateApp_FullMethodName:       writes,
		appv1.AppService_EnableApp_FullMethodName:       writes,
		appv1.AppService_DisableApp_FullMethodName:      writes,

		contentv1.ContentService_ListFeed_FullMethodName:         reads,
		contentv1.ContentService_ReadArticle_FullMethodName:      reads,
		contentv1.ContentService_ListChannels_FullMethodName:     reads,
		contentv1.ContentService_CreateChannel_FullMethodName:    writes,
		contentv1.ContentService_UpdateChannel_FullMethodName:    writes,
		contentv1.ContentService_EnableChannel_FullMethodName:    writes,
		contentv1.ContentService_DisableChannel_FullMethodName:   writes,
		contentv1.ContentService_ListArticles_FullMethodName:     reads,
		contentv1.ContentService_GetArticle_FullMethodName:       reads,
		contentv1.ContentService_CreateArticle_FullMethodName:    writes,
		contentv1.ContentService_UpdateArticle_FullMethodName:    writes,
		contentv1.ContentService_PublishArticle_FullMethodName:   writes,
		contentv1.ContentService_UnpublishArticle_FullMethodName: writes,
		contentv1.ContentService_PinArticle_FullMethodName:       writes,
		contentv1.ContentService_UnpinArticle_FullMethodName:     writes,
		contentv1.FileService_UploadFile_FullMethodName:          writes,
		contentv1.FileService_DownloadFile_FullMethodName:        reads,

		peoplev1.DirectoryService_UpsertUsers_FullMethodName:      writes,
		peoplev1.DirectoryService_UpsertDepartment_FullMethodName: writes,
		peoplev1.DirectoryService_UpsertRole_FullMethodName:       writes,
		peoplev1.DirectoryService_ReconcileUsers_FullMethodName:   writes,
		peoplev1.DirectoryService_ListUsers_FullMethodName:        reads,
	}
}

// Entries are the lengths of the lists in requests, above which they are not decoded.
func (s *Service) Entries() grpcserver.Entries {
	return grpcserver.Entries{
		"hub.people.v1.BeginSessionRequest.claims":        session.MaxClaims,
		"hub.people.v1.UpsertUsersRequest.users":          field.MaxBatch,
		"hub.people.v1.UpsertRoleRequest.user_ids":        people.MaxMembers,
		"hub.people.v1.ReconcileUsersRequest.open":        field.MaxOpen,
		"hub.people.v1.ResolveUsersRequest.user_ids":      people.MaxResolve,
		"hub.app.v1.CreateAppRequest.visible_for":         visibility.MaxEntries,
		"hub.app.v1.UpdateAppRequest.visible_for":         visibility.MaxEntries,
		"hub.content.v1.CreateChannelRequest.visible_for": visibility.MaxEntries,
		"hub.content.v1.UpdateChannelRequest.visible_for": visibility.MaxEntries,
	}
}
