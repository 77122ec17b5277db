package sqlite

import "example.com/hub/pkg/store"

// fileColumns are those of a row, in the order of fileRows.
var fileColumns = store.Columns{"id", "hash", "type", "size", "name", "create_time", "creator_id"}

var (
	// addFile adds what has no bytes yet.
	addFile = store.SQLite.Bind(`-- name: add_file
INSERT INTO file (`+fileColumns.List()+`, kept)
VALUES (`+fileColumns.Binds()+`, 0)`, fileColumns...)

	keepFile = store.SQLite.Bind(`-- name: keep_file
UPDATE file
SET kept = 1
WHERE id = @id`, "id")

	getFile = store.SQLite.Bind(`-- name: get_file
SELECT `+fileColumns.List()+`
FROM file
WHERE id = @id AND kept`, "id")

	listLeft = store.SQLite.Bind(`-- name: list_left
SELECT `+fileColumns.List()+`
FROM file
WHERE NOT kept AND create_time < @before
ORDER BY create_time
LIMIT @limit`, "before", "limit")

	dropFile = store.SQLite.Bind(`-- name: drop_file
DELETE FROM file
WHERE id = @id AND NOT kept`, "id")

	findHash = store.SQLite.Bind(`-- name: find_hash
SELECT EXISTS (SELECT 1 FROM file WHERE hash = @hash)`, "hash")
)
