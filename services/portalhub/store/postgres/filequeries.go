package postgres

import "example.com/hub/pkg/store"

// fileColumns are those of a row, in the order of scanFile.
var fileColumns = store.Columns{"id", "hash", "type", "size", "name", "create_time", "creator_id"}

var (
	// addFile waits for who removes the blob of the hash. The bytes of what it adds are not kept yet.
	addFile = store.PostgreSQL.Bind(`-- name: add_file
WITH held AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended(@hash, 0)))
INSERT INTO file (`+fileColumns.List()+`, kept)
SELECT `+fileColumns.Binds()+`, false
FROM held
ON CONFLICT (id) DO NOTHING`, fileColumns...)

	keepFile = store.PostgreSQL.Bind(`-- name: keep_file
UPDATE file
SET kept = true
WHERE id = @id`, "id")

	getFile = store.PostgreSQL.Bind(`-- name: get_file
SELECT `+fileColumns.List()+`
FROM file
WHERE id = @id AND kept`, "id")

	listLeft = store.PostgreSQL.Bind(`-- name: list_left
SELECT `+fileColumns.List()+`
FROM file
WHERE NOT kept AND create_time < @before
ORDER BY create_time
LIMIT @limit`, "before", "limit")

	dropFile = store.PostgreSQL.Bind(`-- name: drop_file
DELETE FROM file
WHERE id = @id AND NOT kept`, "id")

	// lockName holds a name until the transaction ends: while it is a hash, no files with that are added.
	lockName = store.PostgreSQL.Bind(`-- name: lock_name
SELECT pg_advisory_xact_lock(hashtextextended(@name, 0))`, "name")

	// findHash reads in a statement of its own what was committed before the lock was had.
	findHash = store.PostgreSQL.Bind(`-- name: find_hash
SELECT EXISTS (SELECT 1 FROM file WHERE hash = @hash)`, "hash")
)
