package sqlite

import "example.com/hub/pkg/store"

// appColumns are those of a row, in the order of appRow.fields.
var appColumns = store.Columns{
	"id", "name", "icon_url", "entry_url", "sort", "visible_for", "sso", "enabled",
	"create_time", "modify_time", "creator_id", "modifier_id",
}

var (
	createApp = store.SQLite.Bind(`-- name: create_app
INSERT INTO app (`+appColumns.List()+`)
SELECT @id, @name, @icon_url, @entry_url, @sort, @visible_for, @sso, @enabled, @now, @now, @by, @by
WHERE (SELECT count(*) FROM app) < @most
ON CONFLICT (id) DO NOTHING`, "id", "name", "icon_url", "entry_url", "sort", "visible_for", "sso", "enabled", "now", "by", "most")

	updateApp = store.SQLite.Bind(`-- name: update_app
UPDATE app
SET name = @name, icon_url = @icon_url, entry_url = @entry_url, sort = @sort, visible_for = @visible_for, sso = @sso,
    enabled = COALESCE(@enabled, enabled), modify_time = max(modify_time, @now), modifier_id = @by
WHERE id = @id
RETURNING `+appColumns.List(), "name", "icon_url", "entry_url", "sort", "visible_for", "sso", "enabled", "now", "by", "id")

	// enableApp answers an app that is so already as it is.
	enableApp = store.SQLite.Bind(`-- name: enable_app
UPDATE app
SET modify_time = CASE WHEN enabled = @enabled THEN modify_time ELSE max(modify_time, @now) END,
    modifier_id = CASE WHEN enabled = @enabled THEN modifier_id ELSE @by END,
    enabled = @enabled
WHERE id = @id
RETURNING `+appColumns.List(), "enabled", "now", "by", "id")

	getApp = store.SQLite.Bind(`-- name: get_app
SELECT `+appColumns.List()+`
FROM app
WHERE id = @id`, "id")

	// listApps reads the whole table, which is small.
	listApps = store.SQLite.Bind(`-- name: list_apps
SELECT `+appColumns.List()+`
FROM app
WHERE enabled OR NOT @enabled
ORDER BY sort, name, id`, "enabled")
)
