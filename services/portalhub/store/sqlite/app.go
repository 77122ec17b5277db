package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/portalhub/internal/app"
)

var _ app.Store = (*Store)(nil)

var apps = table[app.App]{appRows, app.NotFound}

// appStatements are those of the apps.
type appStatements struct {
	createApp, updateApp, enableApp, getApp, listApps *sql.Stmt
}

func (s *Store) prepareApps(ctx context.Context, p *sqlitefile.Preparer) {
	s.appStatements = appStatements{
		createApp: p.Prepare(ctx, s.file.Write, createApp),
		updateApp: p.Prepare(ctx, s.file.Write, updateApp),
		enableApp: p.Prepare(ctx, s.file.Write, enableApp),
		getApp:    p.Prepare(ctx, s.file.Read, getApp),
		listApps:  p.Prepare(ctx, s.file.Read, listApps),
	}
}

// CreateApp decides in one statement.
func (s *Store) CreateApp(ctx context.Context, p app.CreateParams) (created bool, err error) {
	visible, err := texts(p.VisibleFor)
	if err != nil {
		return false, err
	}
	return s.exec(ctx, "create app", s.createApp,
		p.ID, p.Name, p.IconURL, p.EntryURL, p.Sort, visible, p.SignOn, p.Enabled, micros(p.Now), p.By, p.Most)
}

// UpdateApp decides in one statement.
func (s *Store) UpdateApp(ctx context.Context, p app.UpdateParams) (app.App, error) {
	visible, err := texts(p.VisibleFor)
	if err != nil {
		return app.App{}, err
	}
	return apps.change(ctx, s, "update app", p.ID, s.updateApp,
		p.Name, p.IconURL, p.EntryURL, p.Sort, visible, p.SignOn, p.Enabled, micros(p.Now), p.By, p.ID)
}

// EnableApp decides in one statement.
func (s *Store) EnableApp(ctx context.Context, p app.EnableParams) (app.App, error) {
	return apps.change(ctx, s, "enable app", p.ID, s.enableApp, p.Enabled, micros(p.Now), p.By, p.ID)
}

// GetApp reads one row by its key.
func (s *Store) GetApp(ctx context.Context, p app.GetParams) (app.App, error) {
	return apps.get(ctx, s, "get app", p.ID, s.getApp)
}

// ListApps reads the table.
func (s *Store) ListApps(ctx context.Context, p app.ListParams) ([]app.App, error) {
	apps, err := appRows(ctx, s.listApps, p.Enabled)
	return apps, s.file.Failed(ctx, "list apps", err)
}

// appRows runs a statement that answers apps.
func appRows(ctx context.Context, stmt sqlitefile.Statement, args ...any) (apps []app.App, err error) {
	var (
		a                      app.App
		visible                []byte
		createTime, modifyTime int64
	)
	into := []any{
		&a.ID, &a.Name, &a.IconURL, &a.EntryURL, &a.Sort, &visible, &a.SignOn, &a.Enabled,
		&createTime, &modifyTime, &a.CreatorID, &a.ModifierID,
	}
	err = sqlitefile.ForEachRow(ctx, stmt, args, into, func() error {
		a.VisibleFor = nil // or the next row would have this one's array
		if err := json.Unmarshal(visible, &a.VisibleFor); err != nil {
			return err
		}
		a.CreateTime, a.ModifyTime = instant(createTime), instant(modifyTime)
		apps = append(apps, a)
		return nil
	})
	return apps, err
}
