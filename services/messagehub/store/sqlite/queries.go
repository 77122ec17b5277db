package sqlite

const (
	// insertMessage answers no row when the key was there.
	insertMessage = `
INSERT INTO message (source_message_id, source_app_id)
VALUES (?, ?)
ON CONFLICT DO NOTHING
RETURNING id`

	selectMessage = `
SELECT id
FROM message
WHERE source_message_id = ? AND source_app_id = ?`

	insertBody = `
INSERT INTO body (message_id, occurred_at, create_time, creator, title, category, actions, content)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
RETURNING id`

	// insertInbox takes the targets as a JSON array; a target's place in it is its ordinal.
	insertInbox = `
INSERT INTO inbox (message_id, body_id, ordinal, status, occurred_at, modify_time, username, modifier)
SELECT ?, ?, key, 1, ?, ?, value, ?
FROM json_each(?)`

	// insertMissing is insertInbox for a key that was there; it answers the ordinals of the rows that
	// it inserted. WHERE true tells the parser that ON begins no join.
	insertMissing = insertInbox + `
WHERE true
ON CONFLICT DO NOTHING
RETURNING ordinal`

	// updateRead goes from the few messages with the id to the records. The plus keeps SQLite from
	// reading all unread records of the user in inbox_list instead.
	updateRead = `
UPDATE inbox
SET status = 2, read_at = ?, modify_time = ?, modifier = ?
WHERE message_id IN (SELECT id FROM message WHERE source_message_id = ?)
  AND username = ?
  AND +status = 1`

	countUnread = `
SELECT count(*)
FROM inbox
WHERE username = ? AND status = 1`

	// selectNewest takes the username twice. SQLite merges the two ranges, which are in order.
	selectNewest = `
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
	selectRecords = `
SELECT k.key, i.body_id, i.ordinal, i.username, m.source_app_id, m.source_message_id,
       b.title, b.content, b.category, b.actions, i.status, i.occurred_at, i.read_at,
       b.create_time, i.modify_time, b.creator, i.modifier
FROM json_each(?) AS k
CROSS JOIN inbox AS i ON i.message_id = k.value ->> 0 AND i.username = k.value ->> 1
CROSS JOIN body AS b ON b.id = i.body_id
CROSS JOIN message AS m ON m.id = i.message_id`

	ping = `
SELECT 1
FROM message
LIMIT 1`
)
