package grpcapi

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/hub/pkg/auth"
	appv1 "example.com/hub/proto/gen/go/hub/app/v1"
	"example.com/hub/services/portalhub/internal/app"
)

// Apps is an appv1.AppServiceServer. Every call is for a user, who is in its context, and the policy must have
// asked for the permission. Its errors are faults.
type Apps struct {
	appv1.UnimplementedAppServiceServer

	service *app.Service
}

// NewApps makes an Apps.
func NewApps(s *app.Service) *Apps { return &Apps{service: s} }

// ListVisibleApps answers the apps that the user sees.
func (s *Apps) ListVisibleApps(
	ctx context.Context, _ *appv1.ListVisibleAppsRequest,
) (*appv1.ListVisibleAppsResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	apps, err := s.service.Visible(ctx, caller.User)
	if err != nil {
		return nil, err
	}
	return &appv1.ListVisibleAppsResponse{Apps: appMessages(apps)}, nil
}

// ResolveJump answers where a jump of the user leads.
func (s *Apps) ResolveJump(ctx context.Context, in *appv1.ResolveJumpRequest) (*appv1.ResolveJumpResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	jump, err := s.service.Jump(ctx, caller.User, in.GetAppId(), in.GetTo())
	if err != nil {
		return nil, err
	}
	return &appv1.ResolveJumpResponse{Url: jump.URL, Sso: appv1.SignOn(jump.SignOn)}, nil
}

// ListApps answers all apps.
func (s *Apps) ListApps(ctx context.Context, _ *appv1.ListAppsRequest) (*appv1.ListAppsResponse, error) {
	apps, err := s.service.List(ctx)
	if err != nil {
		return nil, err
	}
	return &appv1.ListAppsResponse{Apps: appMessages(apps)}, nil
}

// CreateApp adds an app.
func (s *Apps) CreateApp(ctx context.Context, in *appv1.CreateAppRequest) (*appv1.CreateAppResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	a, err := s.service.Create(ctx, caller.Name(), app.CreateRequest{ID: in.GetAppId(), Settings: settings(in), Enabled: in.Enabled})
	if err != nil {
		return nil, err
	}
	return &appv1.CreateAppResponse{App: appMessage(&a)}, nil
}

// UpdateApp replaces what is said of an app.
func (s *Apps) UpdateApp(ctx context.Context, in *appv1.UpdateAppRequest) (*appv1.UpdateAppResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	a, err := s.service.Update(ctx, caller.Name(), app.UpdateRequest{ID: in.GetAppId(), Settings: settings(in), Enabled: in.Enabled})
	if err != nil {
		return nil, err
	}
	return &appv1.UpdateAppResponse{App: appMessage(&a)}, nil
}

// EnableApp lets an app be seen.
func (s *Apps) EnableApp(ctx context.Context, in *appv1.EnableAppRequest) (*appv1.EnableAppResponse, error) {
	a, err := s.enable(ctx, in.GetAppId(), true)
	return &appv1.EnableAppResponse{App: a}, err
}

// DisableApp hides an app.
func (s *Apps) DisableApp(ctx context.Context, in *appv1.DisableAppRequest) (*appv1.DisableAppResponse, error) {
	a, err := s.enable(ctx, in.GetAppId(), false)
	return &appv1.DisableAppResponse{App: a}, err
}

func (s *Apps) enable(ctx context.Context, id string, enabled bool) (*appv1.App, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	a, err := s.service.Enable(ctx, caller.Name(), id, enabled)
	if err != nil {
		return nil, err
	}
	return appMessage(&a), nil
}

// said is a request with what is said of an app.
type said interface {
	GetName() string
	GetIconUrl() string
	GetEntryUrl() string
	GetSort() int64
	GetVisibleFor() []string
	GetSso() appv1.SignOn
}

func settings(in said) app.Settings {
	return app.Settings{
		Name: in.GetName(), IconURL: in.GetIconUrl(), EntryURL: in.GetEntryUrl(), Sort: in.GetSort(),
		VisibleFor: in.GetVisibleFor(), SignOn: app.SignOn(in.GetSso()),
	}
}

func appMessages(apps []app.App) []*appv1.App {
	converted := make([]*appv1.App, len(apps))
	for i := range apps {
		converted[i] = appMessage(&apps[i])
	}
	return converted
}

func appMessage(a *app.App) *appv1.App {
	return &appv1.App{
		AppId: a.ID, Name: a.Name, IconUrl: a.IconURL, EntryUrl: a.EntryURL, Sort: a.Sort, VisibleFor: a.VisibleFor,
		Sso: appv1.SignOn(a.SignOn), Enabled: a.Enabled,
		CreateTime: timestamppb.New(a.CreateTime), ModifyTime: timestamppb.New(a.ModifyTime),
		CreatorId: a.CreatorID, ModifierId: a.ModifierID,
	}
}
