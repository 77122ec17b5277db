package postgres

const (
	// insertPush stores a push whose key is new, in one statement. It answers no row, and stores
	// nothing, when the key was there. A target's place in the array is its ordinal.
	insertPush = `
WITH new_message AS (
    INSERT INTO message (source_message_id, source_app_id)
    VALUES ($1, $2)
    ON CONFLICT DO NOTHING
    RETURNING id
), new_body AS (
    INSERT INTO body (message_id, occurred_at, create_time, creator, title, category, actions, content)
    SELECT id, $3, $4, $2, $5, $6, $7, $8
    FROM new_message
    RETURNING id, message_id
), new_inbox AS (
    INSERT INTO inbox (message_id, body_id, ordinal, status, occurred_at, username)
    SELECT new_body.message_id, new_body.id, t.place - 1, 1, $3, t.username
    FROM new_body, unnest($9::text[]) WITH ORDINALITY AS t (username, place)
)
SELECT id
FROM new_body`

	// insertMessage is insertPush without the targets, which follow by COPY.
	insertMessage = `
WITH new_message AS (
    INSERT INTO message (source_message_id, source_app_id)
    VALUES ($1, $2)
    ON CONFLICT DO NOTHING
    RETURNING id
)
INSERT INTO body (message_id, occurred_at, create_time, creator, title, category, actions, content)
SELECT id, $3, $4, $2, $5, $6, $7, $8
FROM new_message
RETURNING message_id, id`

	// lockMessage lets one push at a time look for what is missing of a key. An advisory lock, unlike
	// a row's, writes nothing.
	lockMessage = `
SELECT pg_advisory_xact_lock(id)
FROM message
WHERE source_message_id = $1 AND source_app_id = $2`

	// insertMissing stores the targets that have no record of a key that was there, and a body if
	// there are any; it answers the body's id with the ordinals of the rows that it inserted.
	insertMissing = `
WITH missing AS MATERIALIZED (
    SELECT m.id AS message_id, t.username, t.place - 1 AS ordinal
    FROM message AS m, unnest($9::text[]) WITH ORDINALITY AS t (username, place)
    WHERE m.source_message_id = $1 AND m.source_app_id = $2
      AND NOT EXISTS (SELECT FROM inbox AS i WHERE i.message_id = m.id AND i.username = t.username)
), new_body AS (
    INSERT INTO body (message_id, occurred_at, create_time, creator, title, category, actions, content)
    SELECT id, $3, $4, $2, $5, $6, $7, $8
    FROM message
    WHERE source_message_id = $1 AND source_app_id = $2 AND EXISTS (SELECT FROM missing)
    RETURNING id
), new_inbox AS (
    INSERT INTO inbox (message_id, body_id, ordinal, status, occurred_at, username)
    SELECT missing.message_id, new_body.id, missing.ordinal, 1, $3, missing.username
    FROM new_body, missing
    ORDER BY missing.ordinal
    ON CONFLICT DO NOTHING
    RETURNING body_id, ordinal
)
SELECT body_id, ordinal
FROM new_inbox
ORDER BY ordinal`

	// selectPushed answers the records that a push at the time $3 created.
	selectPushed = `
SELECT i.body_id, i.ordinal, i.username
FROM message AS m
JOIN inbox AS i ON i.message_id = m.id
JOIN body AS b ON b.id = i.body_id
WHERE m.source_message_id = $1 AND m.source_app_id = $2 AND b.create_time = $3
ORDER BY i.ordinal`

	updateRead = `
UPDATE inbox AS i
SET status = 2, read_at = $3, modifier = $4
FROM message AS m
WHERE m.source_message_id = $1
  AND i.message_id = m.id
  AND i.username = $2
  AND i.status = 1
RETURNING i.body_id`

	// selectRead answers the records that a mark read at the time $3 switched.
	selectRead = `
SELECT i.body_id
FROM message AS m
JOIN inbox AS i ON i.message_id = m.id
WHERE m.source_message_id = $1 AND i.username = $2 AND i.status = 2 AND i.read_at = $3 AND i.modifier = $4`

	countUnread = `
SELECT count(*)
FROM inbox
WHERE username = $1 AND status = 1`

	// selectRecords is the head of a list: the total in front of each record of the page. A page
	// without records is one row of nulls behind the total. What follows are the queries of the total
	// and of the keys, and the order.
	selectRecords = `
SELECT total.n, i.body_id, i.ordinal, i.username, m.source_app_id, m.source_message_id,
       b.title, b.content, b.category, b.actions, i.status, i.occurred_at, i.read_at,
       b.create_time, COALESCE(i.read_at, b.create_time), b.creator, COALESCE(i.modifier, b.creator)
FROM (%s) AS total
LEFT JOIN ((%s) AS k
    JOIN body AS b ON b.id = k.body
    JOIN inbox AS i ON i.message_id = b.message_id AND i.username = k.username
    JOIN message AS m ON m.id = b.message_id
) ON true%s`

	ping = `
SELECT 1
FROM message
LIMIT 1`

	selectProcess = `
SELECT pg_backend_pid()`
)
