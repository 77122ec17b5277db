package postgres

import "example.com/hub/pkg/store"

var (
	// insertPush stores a push whose key is new, in one statement. It answers no row, and stores
	// nothing, when the key was there. A target's place in the array is its ordinal.
	insertPush = store.PostgreSQL.Bind(`-- name: insert_push
WITH new_message AS (
    INSERT INTO message (source_message_id, source_app_id)
    VALUES (@source_message_id, @client)
    ON CONFLICT DO NOTHING
    RETURNING id
), new_body AS (
    INSERT INTO body (`+given.List()+`, message_id, occurred_at, create_time, creator)
    SELECT `+given.Binds()+`, id, @occurred_at, @now, @client
    FROM new_message
    RETURNING id, message_id
), new_inbox AS (
    INSERT INTO inbox (message_id, body_id, ordinal, status, occurred_at, username)
    SELECT new_body.message_id, new_body.id, t.place - 1, 1, @occurred_at, t.username
    FROM new_body, unnest(@targets::text[]) WITH ORDINALITY AS t (username, place)
), new_event AS (
    INSERT INTO event_log (kind, events, body_id)
    SELECT 1, cardinality(@targets::text[]), id
    FROM new_body
    RETURNING body_id, xid, seq
)
SELECT body_id, xid, seq
FROM new_event`, pushBinds("targets")...)

	// insertMessage is insertPush without the targets, which follow by COPY.
	insertMessage = store.PostgreSQL.Bind(`-- name: insert_message
WITH new_message AS (
    INSERT INTO message (source_message_id, source_app_id)
    VALUES (@source_message_id, @client)
    ON CONFLICT DO NOTHING
    RETURNING id
), new_body AS (
    INSERT INTO body (`+given.List()+`, message_id, occurred_at, create_time, creator)
    SELECT `+given.Binds()+`, id, @occurred_at, @now, @client
    FROM new_message
    RETURNING id, message_id
), new_event AS (
    INSERT INTO event_log (kind, events, body_id)
    SELECT 1, @targets, id
    FROM new_body
    RETURNING body_id, xid, seq
)
SELECT message_id, body_id, xid, seq
FROM new_body, new_event`, pushBinds("targets")...)

	// lockMessage lets one push at a time look for what is missing of a key. An advisory lock, unlike
	// a row's, writes nothing.
	lockMessage = store.PostgreSQL.Bind(`-- name: lock_message
SELECT pg_advisory_xact_lock(id)
FROM message
WHERE source_message_id = @source_message_id AND source_app_id = @client`, "source_message_id", "client")

	// insertMissing stores the targets that have no record of a key that was there, and a body if
	// there are any; it answers the body's id with the ordinals of the rows that it inserted. One row
	// with the ordinal -1 says that the key was there and is no more. OFFSET 0 has each target looked for by
	// its key: without statistics, the planner would compare all targets with all records.
	insertMissing = store.PostgreSQL.Bind(`-- name: insert_missing
WITH missing AS MATERIALIZED (
    SELECT m.id AS message_id, t.username, t.place - 1 AS ordinal
    FROM message AS m, unnest(@targets::text[]) WITH ORDINALITY AS t (username, place)
    WHERE m.source_message_id = @source_message_id AND m.source_app_id = @client
      AND NOT EXISTS (SELECT FROM inbox AS i WHERE i.message_id = m.id AND i.username = t.username OFFSET 0)
), new_body AS (
    INSERT INTO body (`+given.List()+`, message_id, occurred_at, create_time, creator)
    SELECT `+given.Binds()+`, id, @occurred_at, @now, @client
    FROM message
    WHERE source_message_id = @source_message_id AND source_app_id = @client AND EXISTS (SELECT FROM missing)
    RETURNING id
), new_inbox AS (
    INSERT INTO inbox (message_id, body_id, ordinal, status, occurred_at, username)
    SELECT missing.message_id, new_body.id, missing.ordinal, 1, @occurred_at, missing.username
    FROM new_body, missing
    ORDER BY missing.ordinal
    ON CONFLICT DO NOTHING
    RETURNING body_id, ordinal
), new_event AS (
    INSERT INTO event_log (kind, events, body_id)
    SELECT 1, count(*), body_id
    FROM new_inbox
    GROUP BY body_id
    RETURNING xid, seq
)
SELECT body_id, ordinal, xid, seq
FROM new_inbox, new_event
UNION ALL
SELECT 0, -1, '0', 0
WHERE NOT EXISTS (SELECT FROM message WHERE source_message_id = @source_message_id AND source_app_id = @client)
ORDER BY ordinal`, pushBinds("targets")...)

	// selectPushed answers the records that a push at the time @now created.
	selectPushed = store.PostgreSQL.Bind(`-- name: select_pushed
SELECT i.body_id, i.ordinal, i.username
FROM message AS m
JOIN inbox AS i ON i.message_id = m.id
JOIN body AS b ON b.id = i.body_id
WHERE m.source_message_id = @source_message_id AND m.source_app_id = @client AND b.create_time = @now
ORDER BY i.ordinal`, "source_message_id", "client", "now")

	// updateRead answers no row when nothing was switched. It locks records in the order of their keys, as
	// updateAllRead does, and finds them by these in the same way.
	updateRead = store.PostgreSQL.Bind(`-- name: update_read
WITH locked AS MATERIALIZED (
    SELECT i.message_id, i.username
    FROM (SELECT id, @username::text AS username FROM message WHERE source_message_id = @source_message_id OFFSET 0) AS m,
        inbox AS i
    WHERE i.message_id = m.id AND i.username = m.username AND i.status = 1
    ORDER BY i.message_id
    FOR UPDATE OF i
), switched AS (
    UPDATE inbox AS i
    SET status = 2, read_at = @now, modifier = @client
    FROM locked
    WHERE i.message_id = locked.message_id AND i.username = locked.username
    RETURNING i.body_id
), new_event AS (
    INSERT INTO event_log (kind, events, happened, username, source_message_id)
    SELECT 2, count(*), @now, @username, @source_message_id
    FROM switched
    HAVING count(*) > 0
    RETURNING events, xid, seq
)
SELECT events, xid, seq
FROM new_event`, "now", "client", "source_message_id", "username")

	// countRead answers how many records a mark read at the time @now switched.
	countRead = store.PostgreSQL.Bind(`-- name: count_read
SELECT count(*)
FROM message AS m
JOIN inbox AS i ON i.message_id = m.id
WHERE m.source_message_id = @source_message_id AND i.username = @username AND i.status = 2 AND i.read_at = @now
  AND i.modifier = @client`, "now", "client", "source_message_id", "username")

	// countAllRead answers how many records a read-all at the time @now switched.
	countAllRead = store.PostgreSQL.Bind(`-- name: count_all_read
SELECT count(*)
FROM inbox
WHERE username = @username AND status = 2 AND read_at = @now AND modifier = @client`, "now", "client", "username")

	// selectWatermark answers the last body, the first transaction that has not begun, and those that have not
	// ended.
	selectWatermark = store.PostgreSQL.Bind(`-- name: select_watermark
SELECT (SELECT COALESCE(max(id), 0) FROM body), pg_snapshot_xmax(now)::text::bigint,
       ARRAY(SELECT xip::text::bigint FROM pg_snapshot_xip(now) AS xip ORDER BY 1)
FROM pg_current_snapshot() AS now`)

	countUnread = store.PostgreSQL.Bind(`-- name: count_unread
SELECT count(*)
FROM inbox
WHERE username = @username AND status = 1`, "username")

	countUnreadBatch = store.PostgreSQL.Bind(`-- name: count_unread_batch
SELECT (SELECT count(*) FROM inbox AS i WHERE i.username = u.username AND i.status = 1)
FROM unnest(@usernames::text[]) WITH ORDINALITY AS u (username, place)
ORDER BY u.place`, "usernames")

	// selectNewest reads one row of each range. Without the limits inside, PostgreSQL would read all.
	selectNewest = store.PostgreSQL.Bind(`-- name: select_newest
SELECT body_id, ordinal
FROM (
    (SELECT body_id, ordinal, occurred_at
     FROM inbox
     WHERE username = @username AND status = 1
     ORDER BY occurred_at DESC, body_id DESC
     LIMIT 1)
    UNION ALL
    (SELECT body_id, ordinal, occurred_at
     FROM inbox
     WHERE username = @username AND status = 2
     ORDER BY occurred_at DESC, body_id DESC
     LIMIT 1)
) AS newest
ORDER BY occurred_at DESC, body_id DESC
LIMIT 1`, "username")

	// selectUsers gives the next users behind one. It leaps from one to the next in inbox_list.
	selectUsers = store.PostgreSQL.Bind(`-- name: select_users
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

	// deleteRead finds the records of the users in inbox_list, which has them by status and the time
	// when they occurred; when they were read, the record itself tells. The limit inside makes it look
	// user by user.
	deleteRead = store.PostgreSQL.Bind(`-- name: delete_read
WITH old AS MATERIALIZED (
    SELECT i.message_id, i.username
    FROM unnest(@users::text[]) AS u (username), LATERAL (
        SELECT message_id, username
        FROM inbox
        WHERE username = u.username AND status = 2 AND occurred_at < @before AND read_at < @before
        LIMIT @rows
        FOR UPDATE SKIP LOCKED
    ) AS i
    LIMIT @rows
)
DELETE FROM inbox AS i
USING old
WHERE i.message_id = old.message_id AND i.username = old.username
RETURNING i.message_id, i.body_id, i.username`, "users", "before", "rows")

	deleteBodies = store.PostgreSQL.Bind(`-- name: delete_bodies
DELETE FROM body AS b
WHERE b.id = ANY (@bodies::bigint[])
  AND NOT EXISTS (SELECT FROM inbox AS i WHERE i.message_id = b.message_id AND i.body_id = b.id)`, "bodies")

	// lockUnused takes the lock of lockMessage for the messages that have no record, and gives those
	// for which it got it.
	lockUnused = store.PostgreSQL.Bind(`-- name: lock_unused
SELECT m.id
FROM (
    SELECT id
    FROM message
    WHERE id = ANY (@messages::bigint[])
      AND NOT EXISTS (SELECT FROM inbox AS i WHERE i.message_id = message.id)
    OFFSET 0
) AS m
WHERE pg_try_advisory_xact_lock(m.id)`, "messages")

	deleteMessages = store.PostgreSQL.Bind(`-- name: delete_messages
DELETE FROM message AS m
WHERE m.id = ANY (@messages::bigint[])
  AND NOT EXISTS (SELECT FROM inbox AS i WHERE i.message_id = m.id)`, "messages")
)

const (
	// copyInbox stores the rows of records.
	copyInbox = `-- name: copy_inbox
COPY inbox (message_id, body_id, occurred_at, status, ordinal, username)
FROM STDIN (FORMAT binary)`

	// lockRetention is true for one transaction at a time. The first number is "retn" in ASCII.
	lockRetention = `-- name: lock_retention
SELECT pg_try_advisory_xact_lock(1919251566, 'inbox'::regclass::oid::int)`

	// ping needs the tables of every migration.
	ping = `-- name: ping
SELECT (SELECT 1 FROM message LIMIT 1), (SELECT 1 FROM event_sweep)`
)
