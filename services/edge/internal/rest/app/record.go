package app

import (
	"errors"
	"slices"

	appv1 "example.com/hub/proto/gen/go/hub/app/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/shape"
)

var signOns = shape.Words[appv1.SignOn]{"", "none", "ticket"}

// App is an appv1.App as administrators see it.
var App = shape.New(append([]shape.Field{
	shape.Text("appId", 1),
	shape.Text("name", 2),
	shape.Text("iconUrl", 3),
	shape.Text("entryUrl", 4),
	shape.Number("sort", 5),
	shape.Bool("enabled", 8),
	shape.Texts("visibleFor", 6),
	shape.Word("sso", 7, signOns),
}, shape.Audit(9, 10, 11, 12)...)...)

// Visible is an appv1.App as those see it who may jump into it: not for whom else it is.
var Visible = shape.New(
	shape.Text("appId", 1),
	shape.Text("name", 2),
	shape.Text("iconUrl", 3),
	shape.Text("entryUrl", 4),
	shape.Number("sort", 5),
	shape.Word("sso", 7, signOns),
)

// Body is that of POST /admin/apps and of PUT /admin/apps/{appId}, where appId may be left out.
type Body struct {
	AppID      string        `json:"appId"`
	Name       string        `json:"name"`
	IconURL    string        `json:"iconUrl"`
	EntryURL   string        `json:"entryUrl"`
	Sort       int64         `json:"sort"`
	Enabled    *bool         `json:"enabled"`
	VisibleFor rest.Subjects `json:"visibleFor"`
	SSO        string        `json:"sso"`
}

func (a area) readCreate(r *rest.Request, m *appv1.CreateAppRequest) error {
	in, err := rest.Body[Body](r)
	if err != nil {
		return err
	}
	r.Audit("app_id", in.AppID)
	m.AppId, m.Name, m.IconUrl, m.EntryUrl = in.AppID, in.Name, in.IconURL, in.EntryURL
	m.Sort, m.Enabled, m.VisibleFor, m.Sso = in.Sort, in.Enabled, in.VisibleFor, signOns.ParseField(in.SSO, false)
	return a.check(m.AppId, m.Sso)
}

func (a area) readUpdate(r *rest.Request, m *appv1.UpdateAppRequest) error {
	in, err := rest.Body[Body](r)
	if err != nil {
		return err
	}
	if in.AppID != "" && in.AppID != m.AppId {
		return errors.New("appId must be that of the path, or be left out")
	}
	m.Name, m.IconUrl, m.EntryUrl = in.Name, in.IconURL, in.EntryURL
	m.Sort, m.Enabled, m.VisibleFor, m.Sso = in.Sort, in.Enabled, in.VisibleFor, signOns.ParseField(in.SSO, false)
	return a.check(m.AppId, m.Sso)
}

// check refuses what this edge could not make tickets for.
func (a area) check(appID string, sso appv1.SignOn) error {
	switch {
	case appID != "" && slices.Contains(a.audiences, appID):
		return errors.New("appId must not be an audience of tokens for Hub itself")
	case sso == appv1.SignOn_SIGN_ON_TICKET && a.tickets == nil:
		return errors.New("sso must be none, since this Hub has no keys for tickets")
	}
	return nil
}
