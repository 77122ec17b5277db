package sqlite

const (
	// insertMessage answers no row when the key was there.
	insertMessage = `-- name: insert_message
INSERT INTO message (source_message_id, source_app_id)
VALUES (?, ?)
ON CONFLICT DO NOTHING
RETURNING id`

	selectMessage = `-- name: select_message
SELECT id
FROM message
WHERE source_message_id = ? AND source_app_id = ?`

	insertBody = `-- name: insert_body
INSERT INTO body (message_id, occurred_at, create_time, creator, title, category, actions, content)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
RETURNING id`

	// inboxRows takes the targets as a JSON array; a target's place in it is its ordinal.
	inboxRows = `
INSERT INTO inbox (message_id, body_id, ordinal, status, occurred_at, modify_time, username, modifier)
SELECT ?, ?, key, 1, ?, ?, value, ?
FROM json_each(?)`

	insertInbox = `-- name: insert_inbox` + inboxRows

	// insertMissing is insertInbox for a key that was there; it answers the ordinals of the rows that
	// it inserted. WHERE true tells the parser that ON begins no join.
	insertMissing = `-- name: insert_missing` + inboxRows + `
WHERE true
ON CONFLICT DO NOTHING
RETURNING ordinal`

	// updateRead goes from the few messages with the id to the records. The plus keeps SQLite from
	// reading all unread records of the user in inbox_list instead.
	updateRead = `-- name: update_read
UPDATE inbox
SET status = 2, read_at = ?, modify_time = max(modify_time, ?), modifier = ?
WHERE message_id IN (SELECT id FROM message WHERE source_message_id = ?)
  AND username = ?
  AND +status = 1`

	countUnread = `-- name: count_unread
SELECT count(*)
FROM inbox
WHERE username = ? AND status = 1`

	// selectNewest takes the username twice. SQLite merges the two ranges, which are in order.
	selectNewest = `-- name: select_newest
SELECT body_id, ordinal, occurred_at
FROM inbox
WHERE username = ? AND status = 1
UNION ALL
SELECT body_id, ordinal, occurred_at
FROM inbox
WHERE username = ? AND status = 2
ORDER BY occurred_at DESC, body_id DESC
LIMIT 1`

	// selectRecords takes the keys of a page as a JSON array of [message_id, username] and answers
	// each record with its place in it, in any order.
	selectRecords = `-- name: select_records
SELECT k.key, i.body_id, i.ordinal, i.username, m.source_app_id, m.source_message_id,
       b.title, b.content, b.category, b.actions, i.status, i.occurred_at, i.read_at,
       b.create_time, i.modify_time, b.creator, i.modifier
FROM json_each(?) AS k
CROSS JOIN inbox AS i ON i.message_id = k.value ->> 0 AND i.username = k.value ->> 1
CROSS JOIN body AS b ON b.id = i.body_id
CROSS JOIN message AS m ON m.id = i.message_id`

	// selectRecipients gives the next users behind one. It leaps from one to the next in inbox_list.
	selectRecipients = `-- name: select_recipients
WITH RECURSIVE users (username) AS (
    SELECT min(username)
    FROM inbox
    WHERE username > ?
    UNION ALL
    SELECT (SELECT min(username) FROM inbox WHERE username > users.username)
    FROM users
    WHERE users.username IS NOT NULL
)
SELECT username
FROM users
WHERE username IS NOT NULL
LIMIT ?`

	// deleteRead takes the users as a JSON array and finds their records in inbox_list, which has them
	// by status and the time when they occurred; when they were read, the record itself tells.
	deleteRead = `-- name: delete_read
DELETE FROM inbox
WHERE (message_id, username) IN (
    SELECT i.message_id, i.username
    FROM json_each(?) AS u
    CROSS JOIN inbox AS i ON i.username = u.value
    WHERE i.status = 2 AND i.occurred_at < ? AND i.read_at < ?
    LIMIT ?
)
RETURNING message_id, body_id, username`

	// deleteBodies takes the ids as a JSON array and leaves those that a record has.
	deleteBodies = `-- name: delete_bodies
DELETE FROM body
WHERE id IN (SELECT value FROM json_each(?))
  AND NOT EXISTS (SELECT 1 FROM inbox AS i WHERE i.message_id = body.message_id AND i.body_id = body.id)`

	// deleteMessages is deleteBodies for messages.
	deleteMessages = `-- name: delete_messages
DELETE FROM message
WHERE id IN (SELECT value FROM json_each(?))
  AND NOT EXISTS (SELECT 1 FROM inbox AS i WHERE i.message_id = message.id)`

	ping = `-- name: ping
SELECT 1
FROM message
LIMIT 1`
)
