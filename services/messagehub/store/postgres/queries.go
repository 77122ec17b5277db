package postgres

const (
	// insertPush stores a push whose key is new, in one statement. It answers no row, and stores
	// nothing, when the key was there. A target's place in the array is its ordinal.
	insertPush = `-- name: insert_push
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
), new_event AS (
    INSERT INTO event_log (kind, events, body_id)
    SELECT 1, cardinality($9::text[]), id
    FROM new_body
    RETURNING body_id, xid, seq
)
SELECT body_id, xid, seq
FROM new_event`

	// insertMessage is insertPush without the $9 targets, which follow by COPY.
	insertMessage = `-- name: insert_message
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
), new_event AS (
    INSERT INTO event_log (kind, events, body_id)
    SELECT 1, $9, id
    FROM new_body
    RETURNING body_id, xid, seq
)
SELECT message_id, body_id, xid, seq
FROM new_body, new_event`

	// copyInbox stores the rows of records.
	copyInbox = `-- name: copy_inbox
COPY inbox (message_id, body_id, occurred_at, status, ordinal, username)
FROM STDIN (FORMAT binary)`

	// lockMessage lets one push at a time look for what is missing of a key. An advisory lock, unlike
	// a row's, writes nothing.
	lockMessage = `-- name: lock_message
SELECT pg_advisory_xact_lock(id)
FROM message
WHERE source_message_id = $1 AND source_app_id = $2`

	// insertMissing stores the targets that have no record of a key that was there, and a body if
	// there are any; it answers the body's id with the ordinals of the rows that it inserted. One row
	// with the ordinal -1 says that the key was there and is no more.
	insertMissing = `-- name: insert_missing
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
WHERE NOT EXISTS (SELECT FROM message WHERE source_message_id = $1 AND source_app_id = $2)
ORDER BY ordinal`

	// selectPushed answers the records that a push at the time $3 created.
	selectPushed = `-- name: select_pushed
SELECT i.body_id, i.ordinal, i.username
FROM message AS m
JOIN inbox AS i ON i.message_id = m.id
JOIN body AS b ON b.id = i.body_id
WHERE m.source_message_id = $1 AND m.source_app_id = $2 AND b.create_time = $3
ORDER BY i.ordinal`

	// updateRead answers no row when nothing was switched.
	updateRead = `-- name: update_read
WITH switched AS (
    UPDATE inbox AS i
    SET status = 2, read_at = $3, modifier = $4
    FROM message AS m
    WHERE m.source_message_id = $1
      AND i.message_id = m.id
      AND i.username = $2
      AND i.status = 1
    RETURNING i.body_id
), new_event AS (
    INSERT INTO event_log (kind, events, happened, username, source_message_id)
    SELECT 2, count(*), $3, $2, $1
    FROM switched
    HAVING count(*) > 0
    RETURNING events, xid, seq
)
SELECT events, xid, seq
FROM new_event`

	// countRead answers how many records a mark read at the time $3 switched.
	countRead = `-- name: count_read
SELECT count(*)
FROM message AS m
JOIN inbox AS i ON i.message_id = m.id
WHERE m.source_message_id = $1 AND i.username = $2 AND i.status = 2 AND i.read_at = $3 AND i.modifier = $4`

	countUnread = `-- name: count_unread
SELECT count(*)
FROM inbox
WHERE username = $1 AND status = 1`

	// selectNewest reads one row of each range. Without the limits inside, PostgreSQL would read all.
	selectNewest = `-- name: select_newest
SELECT body_id, ordinal
FROM (
    (SELECT body_id, ordinal, occurred_at
     FROM inbox
     WHERE username = $1 AND status = 1
     ORDER BY occurred_at DESC, body_id DESC
     LIMIT 1)
    UNION ALL
    (SELECT body_id, ordinal, occurred_at
     FROM inbox
     WHERE username = $1 AND status = 2
     ORDER BY occurred_at DESC, body_id DESC
     LIMIT 1)
) AS newest
ORDER BY occurred_at DESC, body_id DESC
LIMIT 1`

	// selectRecords is a list: the total in front of each record of the page. A page without records is
	// one row of nulls behind the total. What follows are the queries of the total and of the page with
	// its bodies and messages, and the order.
	selectRecords = `-- name: select_records
SELECT total.n, i.body_id, i.ordinal, i.username, m.source_app_id, m.source_message_id,
       b.title, b.content, b.category, b.actions, i.status, i.occurred_at, i.read_at,
       b.create_time, GREATEST(b.create_time, i.read_at), b.creator, COALESCE(i.modifier, b.creator)
FROM (%s) AS total
LEFT JOIN (%s) ON true%s`

	// joinKeys finds the records of a page by its keys.
	joinKeys = `(%s) AS k
    JOIN body AS b ON b.id = k.body
    JOIN inbox AS i ON i.message_id = b.message_id AND i.username = k.username
    JOIN message AS m ON m.id = b.message_id`

	// joinRows has the records of a page.
	joinRows = `(%s) AS i
    JOIN body AS b ON b.id = i.body_id
    JOIN message AS m ON m.id = i.message_id`

	// updateSweep takes the lease of the sweep or renews it; only a renewal moves the position. It
	// answers the position, and for how long another holder has the lease.
	updateSweep = `-- name: update_sweep
WITH held AS (
    UPDATE event_sweep
    SET holder = $1, expires = clock_timestamp() + $2::interval,
        xid = CASE WHEN holder = $1 THEN $3 ELSE xid END,
        seq = CASE WHEN holder = $1 THEN $4 ELSE seq END
    WHERE holder = $1 OR expires <= clock_timestamp()
    RETURNING xid, seq
)
SELECT true, xid, seq, interval '0'
FROM held
UNION ALL
SELECT false, xid, seq, expires - clock_timestamp()
FROM event_sweep
WHERE NOT EXISTS (SELECT FROM held)`

	releaseSweep = `-- name: release_sweep
UPDATE event_sweep
SET expires = 'epoch', xid = $2, seq = $3
WHERE holder = $1`

	// selectEvents answers the fence and the first transaction that has not begun in front of each row;
	// without rows, they stand in front of a row of zeros.
	selectEvents = `-- name: select_events
SELECT s.fence, s.next, COALESCE(e.xid, '0'), COALESCE(e.seq, 0),
       COALESCE(clock_timestamp() - e.created, '0'), COALESCE(e.kind, 0), COALESCE(e.events, 0),
       COALESCE(e.body_id, 0), COALESCE(e.happened, 'epoch'), COALESCE(e.username, ''),
       COALESCE(e.source_message_id, '')
FROM (
    SELECT pg_snapshot_xmin(now), pg_snapshot_xmax(now)
    FROM pg_current_snapshot() AS now
) AS s (fence, next)
LEFT JOIN LATERAL (
    SELECT xid, seq, created, kind, events, body_id, happened, username, source_message_id
    FROM event_log
    WHERE (xid, seq) > ($1, $2) AND xid < s.next
    ORDER BY xid, seq
    LIMIT $3
) AS e ON true
ORDER BY e.xid, e.seq`

	// selectRecipients answers the records of the bodies, each with the place that is given with it.
	selectRecipients = `-- name: select_recipients
SELECT wanted.place, b.id, i.ordinal, i.username, b.create_time
FROM unnest($1::bigint[], $2::bigint[]) AS wanted (body_id, place)
JOIN body AS b ON b.id = wanted.body_id
JOIN inbox AS i ON i.message_id = b.message_id AND i.body_id = b.id
ORDER BY wanted.place, i.ordinal`

	// selectBefore answers the last row that is older, looking from the end.
	selectBefore = `-- name: select_before
SELECT xid, seq
FROM event_log
WHERE created < clock_timestamp() - $1::interval
  AND xid < pg_snapshot_xmax(pg_current_snapshot())
ORDER BY xid DESC, seq DESC
LIMIT 1`

	// deleteEvents looks at the first rows behind a position only, since vacuum may not have come to the
	// dead ones before it. Rows of transactions that have not begun came with a dump from another server;
	// their order makes PostgreSQL look for them in the index. It answers the number of rows, the position
	// up to which all are gone with the age of the row there, and the size of the table with its index.
	deleteEvents = `-- name: delete_events
WITH front AS MATERIALIZED (
    SELECT ctid, xid, seq, clock_timestamp() - created AS age
    FROM event_log
    WHERE (xid, seq) > ($1, $2) AND (xid, seq) <= ($3, $4)
    ORDER BY xid, seq
    LIMIT $6
), gone AS (
    DELETE FROM event_log
    WHERE ctid = ANY (ARRAY(
        SELECT ctid
        FROM front
        WHERE age > $5::interval
        UNION ALL
        (
            SELECT ctid
            FROM event_log
            WHERE xid > pg_snapshot_xmax(pg_current_snapshot())
            ORDER BY xid, seq
            LIMIT $6
        )
    ))
    RETURNING xid
)
SELECT (SELECT count(*) FROM gone), last.xid, last.seq, last.age, pg_total_relation_size('event_log')
FROM (
    (SELECT xid, seq, age FROM front WHERE (SELECT min(age) > $5::interval FROM front) ORDER BY xid DESC, seq DESC LIMIT 1)
    UNION ALL
    SELECT $1, $2, '0'
    LIMIT 1
) AS last`

	// lockRetention is true for one transaction at a time. The first number is "retn" in ASCII.
	lockRetention = `-- name: lock_retention
SELECT pg_try_advisory_xact_lock(1919251566, 'inbox'::regclass::oid::int)`

	// selectUsers gives the next users behind one. It leaps from one to the next in inbox_list.
	selectUsers = `-- name: select_users
WITH RECURSIVE users (username) AS (
    SELECT min(username)
    FROM inbox
    WHERE username > $1
    UNION ALL
    SELECT (SELECT min(username) FROM inbox WHERE username > users.username)
    FROM users
    WHERE users.username IS NOT NULL
)
SELECT username
FROM users
WHERE username IS NOT NULL
LIMIT $2`

	// deleteRead finds the records of the users in inbox_list, which has them by status and the time
	// when they occurred; when they were read, the record itself tells. The limit inside makes it look
	// user by user.
	deleteRead = `-- name: delete_read
WITH old AS MATERIALIZED (
    SELECT i.message_id, i.username
    FROM unnest($1::text[]) AS u (username), LATERAL (
        SELECT message_id, username
        FROM inbox
        WHERE username = u.username AND status = 2 AND occurred_at < $2 AND read_at < $2
        LIMIT $3
        FOR UPDATE SKIP LOCKED
    ) AS i
    LIMIT $3
)
DELETE FROM inbox AS i
USING old
WHERE i.message_id = old.message_id AND i.username = old.username
RETURNING i.message_id, i.body_id, i.username`

	deleteBodies = `-- name: delete_bodies
DELETE FROM body AS b
WHERE b.id = ANY ($1::bigint[])
  AND NOT EXISTS (SELECT FROM inbox AS i WHERE i.message_id = b.message_id AND i.body_id = b.id)`

	// lockUnused takes the lock of lockMessage for the messages that have no record, and gives those
	// for which it got it.
	lockUnused = `-- name: lock_unused
SELECT m.id
FROM (
    SELECT id
    FROM message
    WHERE id = ANY ($1::bigint[])
      AND NOT EXISTS (SELECT FROM inbox AS i WHERE i.message_id = message.id)
    OFFSET 0
) AS m
WHERE pg_try_advisory_xact_lock(m.id)`

	deleteMessages = `-- name: delete_messages
DELETE FROM message AS m
WHERE m.id = ANY ($1::bigint[])
  AND NOT EXISTS (SELECT FROM inbox AS i WHERE i.message_id = m.id)`

	// ping needs the tables of every migration.
	ping = `-- name: ping
SELECT (SELECT 1 FROM message LIMIT 1), (SELECT 1 FROM event_sweep)`
)
