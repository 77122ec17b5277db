package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/portalhub/internal/app"
)

var _ app.Store = (*Store)(nil)

var apps = table[app.App]{scanApp, app.NotFound}

// scanApp reads the columns of a row of app.
func scanApp(rows pgx.CollectableRow) (app.App, error) {
	var a app.App
	var signOn int16
	err := rows.Scan(
		&a.ID, &a.Name, &a.IconURL, &a.EntryURL, &a.Sort, &a.VisibleFor, &signOn, &a.Enabled,
		&a.CreateTime, &a.ModifyTime, &a.CreatorID, &a.ModifierID)
	a.SignOn = app.SignOn(signOn)
	return a, err
}

// CreateApp counts and adds in one statement, one at a time. A repeat after a lost connection may find what the lost
// run created.
func (s *Store) CreateApp(ctx context.Context, p app.CreateParams) (bool, error) {
	created, repeated, err := s.create(ctx, "app", createApp,
		p.ID, p.Name, p.IconURL, p.EntryURL, p.Sort, texts(p.VisibleFor), p.SignOn, p.Enabled, p.Now, p.By, p.Most)
	if err == nil && !created && repeated {
		return s.createdBefore(ctx, p)
	}
	return created, pg.Failed("create app", err)
}

// createdBefore tells whether the app that is there is the one that was to be created.
func (s *Store) createdBefore(ctx context.Context, p app.CreateParams) (bool, error) {
	found, err := s.GetApp(ctx, app.GetParams{ID: p.ID})
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return false, err
	}
	return err == nil && found.CreateTime.Equal(p.Now) && found.CreatorID == p.By, nil
}

// UpdateApp decides in one statement. A repeat writes the same once more.
func (s *Store) UpdateApp(ctx context.Context, p app.UpdateParams) (app.App, error) {
	return apps.one(ctx, s, "update app", p.ID, updateApp,
		p.Name, p.IconURL, p.EntryURL, p.Sort, texts(p.VisibleFor), p.SignOn, p.Enabled, p.Now, p.By, p.ID)
}

// EnableApp decides in one statement. A repeat finds it so.
func (s *Store) EnableApp(ctx context.Context, p app.EnableParams) (app.App, error) {
	return apps.one(ctx, s, "enable app", p.ID, enableApp, p.Enabled, p.Now, p.By, p.ID)
}

// GetApp reads one row by its key.
func (s *Store) GetApp(ctx context.Context, p app.GetParams) (app.App, error) {
	return apps.one(ctx, s, "get app", p.ID, getApp, p.ID)
}

// ListApps reads the table.
func (s *Store) ListApps(ctx context.Context, p app.ListParams) ([]app.App, error) {
	return apps.list(ctx, s, "list apps", listApps, p.Enabled)
}
