package sqlite

import "example.com/hub/pkg/store"

// fileColumns are those of a row, in the order of GetFile.
var fileColumns = store.Columns{"id", "hash", "type", "size", "name", "create_time", "creator_id"}

var (
	addFile = store.SQLite.Bind(`-- name: add_file
INSERT INTO file (`+fileColumns.List()+`)
VALUES (`+fileColumns.Binds()+`)`, fileColumns...)

	dropFile = store.SQLite.Bind(`-- name: drop_file
DELETE FROM file
WHERE id = @id`, "id")

	getFile = store.SQLite.Bind(`-- name: get_file
SELECT `+fileColumns.List()+`
FROM file
WHERE id = @id`, "id")

	listUnnamed = store.SQLite.Bind(`-- name: list_unnamed
SELECT value
FROM json_each(@hashes)
WHERE NOT EXISTS (SELECT 1 FROM file WHERE hash = value)`, "hashes")

	findHash = store.SQLite.Bind(`-- name: find_hash
SELECT 1
FROM file
WHERE hash = @hash
LIMIT 1`, "hash")
)
