package sqlite

import "example.com/hub/pkg/store"

// insertRows takes the targets as a JSON array; a target's place in it is its ordinal.
const insertRows = `
INSERT INTO inbox (message_id, body_id, ordinal, status, occurred_at, modify_time, username, modifier)
SELECT @message, @body, key, 1, @occurred_at, @now, value, @client
FROM json_each(@targets)`

// insertBinds are the binds of insertRows.
var insertBinds = []string{"message", "body", "occurred_at", "now", "client", "targets"}

var (
	// insertMessage inserts no row when the key was there.
	insertMessage = store.SQLite.Bind(`-- name: insert_message
INSERT INTO message (source_message_id, source_app_id)
VALUES (@source_message_id, @client)
ON CONFLICT DO NOTHING`, "source_message_id", "client")

	selectMessage = store.SQLite.Bind(`-- name: select_message
SELECT id
FROM message
WHERE source_message_id = @source_message_id AND source_app_id = @client`, "source_message_id", "client")

	insertBody = store.SQLite.Bind(`-- name: insert_body
INSERT INTO body (`+given.List()+`, message_id, occurred_at, create_time, creator)
VALUES (`+given.Binds()+`, @message, @occurred_at, @now, @client)`, given.Then("message", "occurred_at", "now", "client")...)

	insertInbox = store.SQLite.Bind(`-- name: insert_inbox`+insertRows, insertBinds...)

	// insertMissing is insertInbox for a key that was there; it answers the ordinals of the rows that
	// it inserted. WHERE true tells the parser that ON begins no join.
	insertMissing = store.SQLite.Bind(`-- name: insert_missing`+insertRows+`
WHERE true
ON CONFLICT DO NOTHING
RETURNING ordinal`, insertBinds...)

	// updateRead goes from the few messages with the id to the records. The plus keeps SQLite from
	// reading all unread records of the user in inbox_list instead.
	updateRead = store.SQLite.Bind(`-- name: update_read
UPDATE inbox
SET status = 2, read_at = @now, modify_time = max(modify_time, @now), modifier = @client
WHERE message_id IN (SELECT id FROM message WHERE source_message_id = @source_message_id)
  AND username = @username
  AND +status = 1`, "now", "client", "source_message_id", "username")

	// selectAllRead finds a batch in inbox_list in its order, and tells which of its records match.
	selectAllRead = store.SQLite.Bind(`-- name: select_all_read
SELECT i.message_id, i.occurred_at, i.body_id, m.source_message_id,
    i.body_id <= @upto_body
      AND (@source_app_id = '' OR m.source_app_id = @source_app_id)
      AND (@category = '' OR b.category = @category)
FROM inbox AS i
CROSS JOIN body AS b ON b.id = i.body_id
CROSS JOIN message AS m ON m.id = i.message_id
WHERE i.username = @username AND i.status = 1
  AND (i.occurred_at, i.body_id) < (@below_at, @below_body)
ORDER BY i.occurred_at DESC, i.body_id DESC
LIMIT @rows`, "username", "upto_body", "source_app_id", "category", "rows", "below_at", "below_body")

	// updateAllRead takes the messages of a batch as a JSON array.
	updateAllRead = store.SQLite.Bind(`-- name: update_all_read
UPDATE inbox
SET status = 2, read_at = @now, modify_time = max(modify_time, @now), modifier = @client
WHERE message_id IN (SELECT value FROM json_each(@messages))
  AND username = @username`, "now", "client", "username", "messages")

	// selectWatermark answers the last body.
	selectWatermark = store.SQLite.Bind(`-- name: select_watermark
SELECT COALESCE(max(id), 0)
FROM body`)

	countUnread = store.SQLite.Bind(`-- name: count_unread
SELECT count(*)
FROM inbox
WHERE username = @username AND status = 1`, "username")

	// countUnreadBatch takes the users as a JSON array.
	countUnreadBatch = store.SQLite.Bind(`-- name: count_unread_batch
SELECT (SELECT count(*) FROM inbox AS i WHERE i.username = u.value AND i.status = 1)
FROM json_each(@usernames) AS u
ORDER BY u.key`, "usernames")

	// selectNewest has SQLite merge the two ranges, which are in order.
	selectNewest = store.SQLite.Bind(`-- name: select_newest
SELECT body_id, ordinal, occurred_at
FROM inbox
WHERE username = @username AND status = 1
UNION ALL
SELECT body_id, ordinal, occurred_at
FROM inbox
WHERE username = @username AND status = 2
ORDER BY occurred_at DESC, body_id DESC
LIMIT 1`, "username")

	// selectRecords takes the keys of a page as a JSON array of [message_id, username] and answers
	// each record with its place in it, in any order.
	selectRecords = store.SQLite.Bind(`-- name: select_records
SELECT k.key, `+columns.List()+`
FROM json_each(@keys) AS k
CROSS JOIN inbox AS i ON i.message_id = k.value ->> 0 AND i.username = k.value ->> 1
CROSS JOIN body AS b ON b.id = i.body_id
CROSS JOIN message AS m ON m.id = i.message_id`, "keys")

	// selectUsers gives the next users behind one. It leaps from one to the next in inbox_list.
	selectUsers = store.SQLite.Bind(`-- name: select_users
WITH RECURSIVE users (username) AS (
    SELECT min(username)
    FROM inbox
    WHERE username > @after
    UNION ALL
    SELECT (SELECT min(username) FROM inbox WHERE username > users.username)
    FROM users
    WHERE users.username IS NOT NULL
)
SELECT username
FROM users
WHERE username IS NOT NULL
LIMIT @users`, "after", "users")

	// deleteRead takes the users as a JSON array and finds their records in inbox_list, which has them
	// by status and the time when they occurred; when they were read, the record itself tells.
	deleteRead = store.SQLite.Bind(`-- name: delete_read
DELETE FROM inbox
WHERE (message_id, username) IN (
    SELECT i.message_id, i.username
    FROM json_each(@users) AS u
    CROSS JOIN inbox AS i ON i.username = u.value
    WHERE i.status = 2 AND i.occurred_at < @before AND i.read_at < @before
    LIMIT @rows
)
RETURNING message_id, body_id, username`, "users", "before", "rows")

	// deleteBodies takes the ids as a JSON array and leaves those that a record has.
	deleteBodies = store.SQLite.Bind(`-- name: delete_bodies
DELETE FROM body
WHERE id IN (SELECT value FROM json_each(@bodies))
  AND NOT EXISTS (SELECT 1 FROM inbox AS i WHERE i.message_id = body.message_id AND i.body_id = body.id)`, "bodies")

	// deleteMessages is deleteBodies for messages.
	deleteMessages = store.SQLite.Bind(`-- name: delete_messages
DELETE FROM message
WHERE id IN (SELECT value FROM json_each(@messages))
  AND NOT EXISTS (SELECT 1 FROM inbox AS i WHERE i.message_id = message.id)`, "messages")
)

// ping needs the table of every migration.
const ping = `-- name: ping
SELECT 1
FROM message
LIMIT 1`
