package sqlite

import "example.com/hub/pkg/store"

// channelColumns are those of a channel, in the order of scanChannel.
var channelColumns = store.Columns{
	"id", "name", "type", "sort", "visible_for", "enabled",
	"create_time", "modify_time", "creator_id", "modifier_id",
}

var (
	// createChannel answers the one that is there already, which a repeat finds.
	createChannel = store.SQLite.Bind(`-- name: create_channel
INSERT INTO channel (`+channelColumns.List()+`)
SELECT @id, @name, @type, @sort, @visible_for, @enabled, @now, @now, @by, @by
WHERE (SELECT count(*) FROM channel WHERE id <> @id) < @most
ON CONFLICT (id) DO UPDATE
SET id = excluded.id`, "id", "name", "type", "sort", "visible_for", "enabled", "now", "by", "most")

	updateChannel = store.SQLite.Bind(`-- name: update_channel
UPDATE channel
SET name = @name, type = @type, sort = @sort, visible_for = @visible_for, enabled = COALESCE(@enabled, enabled),
    modify_time = max(modify_time, @now), modifier_id = @by
WHERE id = @id
RETURNING `+channelColumns.List(), "name", "type", "sort", "visible_for", "enabled", "now", "by", "id")

	// enableChannel answers a channel that is so already as it is.
	enableChannel = store.SQLite.Bind(`-- name: enable_channel
UPDATE channel
SET modify_time = CASE WHEN enabled = @enabled THEN modify_time ELSE max(modify_time, @now) END,
    modifier_id = CASE WHEN enabled = @enabled THEN modifier_id ELSE @by END,
    enabled = @enabled
WHERE id = @id
RETURNING `+channelColumns.List(), "enabled", "now", "by", "id")

	// listChannels reads the whole table, which is small.
	listChannels = store.SQLite.Bind(`-- name: list_channels
SELECT `+channelColumns.List()+`
FROM channel
WHERE enabled OR NOT @enabled
ORDER BY sort, name, id`, "enabled")
)
