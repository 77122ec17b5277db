package postgres

import "example.com/hub/pkg/store"

// fileColumns are those of a row, in the order of scanFile.
var fileColumns = store.Columns{"id", "hash", "type", "size", "name", "create_time", "creator_id"}

var (
	// addFile waits for who removes the blob of the hash.
	addFile = store.PostgreSQL.Bind(`-- name: add_file
WITH held AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended(@hash, 0)))
INSERT INTO file (`+fileColumns.List()+`)
SELECT `+fileColumns.Binds()+`
FROM held
ON CONFLICT (id) DO NOTHING`, fileColumns...)

	dropFile = store.PostgreSQL.Bind(`-- name: drop_file
DELETE FROM file
WHERE id = @id`, "id")

	getFile = store.PostgreSQL.Bind(`-- name: get_file
SELECT `+fileColumns.List()+`
FROM file
WHERE id = @id`, "id")

	listUnnamed = store.PostgreSQL.Bind(`-- name: list_unnamed
SELECT hash
FROM unnest(@hashes::text[]) AS asked (hash)
WHERE NOT EXISTS (SELECT 1 FROM file WHERE file.hash = asked.hash)`, "hashes")

	// lockName holds a name until the transaction ends: while it is a hash, no files with that are added.
	lockName = store.PostgreSQL.Bind(`-- name: lock_name
SELECT pg_advisory_xact_lock(hashtextextended(@name, 0))`, "name")

	// findHash reads in a statement of its own what was committed before the lock was had.
	findHash = store.PostgreSQL.Bind(`-- name: find_hash
SELECT EXISTS (SELECT 1 FROM file WHERE hash = @hash)`, "hash")
)
