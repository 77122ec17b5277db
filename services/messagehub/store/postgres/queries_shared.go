package postgres

import "example.com/hub/pkg/store"

// The statements that several calls share. Their rows come in arrays, of which place is the place.
var (
	// insertPushes is insertPush for several keys, of which it stores those that are new. It inserts them in
	// their order, so that two of it never wait for each other's. The ids are taken beforehand: by them, what
	// was inserted finds its row again. It answers a row for each push that it stored.
	insertPushes = store.PostgreSQL.Bind(`-- name: insert_pushes
WITH given AS MATERIALIZED (
    SELECT nextval('message_id_seq') AS message_id, nextval('body_id_seq') AS body_id,
        place, `+given.List()+`, source_message_id, client, occurred_at, now, targets
    FROM unnest(`+givenArrays+`, @source_message_id::text[], @client::text[],
        @occurred_at::timestamptz[], @now::timestamptz[], @targets::integer[]) WITH ORDINALITY
        AS p (`+given.List()+`, source_message_id, client, occurred_at, now, targets, place)
), new_message AS (
    INSERT INTO message (id, source_message_id, source_app_id) OVERRIDING SYSTEM VALUE
    SELECT message_id, source_message_id, client
    FROM given
    ORDER BY source_message_id COLLATE "C", client COLLATE "C"
    ON CONFLICT (source_message_id, source_app_id) DO NOTHING
    RETURNING id
), new_push AS MATERIALIZED (
    SELECT given.*
    FROM new_message
    JOIN given ON given.message_id = new_message.id
), new_body AS (
    INSERT INTO body (id, `+given.List()+`, message_id, occurred_at, create_time, creator) OVERRIDING SYSTEM VALUE
    SELECT body_id, `+given.List()+`, message_id, occurred_at, now, client
    FROM new_push
), new_inbox AS (
    INSERT INTO inbox (message_id, body_id, ordinal, status, occurred_at, username)
    SELECT p.message_id, p.body_id, t.ordinal, 1, p.occurred_at, t.username
    FROM new_push AS p
    JOIN unnest(@place::bigint[], @ordinal::integer[], @username::text[]) AS t (place, ordinal, username) ON t.place = p.place
), new_event AS (
    INSERT INTO event_log (kind, events, body_id)
    SELECT 1, targets, body_id
    FROM new_push
    RETURNING body_id, xid, seq
)
SELECT p.place, e.body_id, e.xid, e.seq
FROM new_event AS e
JOIN new_push AS p ON p.body_id = e.body_id`,
		given.Then("source_message_id", "client", "occurred_at", "now", "targets", "place", "ordinal", "username")...)

	// updateReads is updateRead for several users and message ids. It answers a row for each of which it
	// switched records.
	updateReads = store.PostgreSQL.Bind(`-- name: update_reads
WITH given AS MATERIALIZED (
    SELECT place, source_message_id, username, now, client
    FROM unnest(@source_message_id::text[], @username::text[], @now::timestamptz[], @client::text[]) WITH ORDINALITY
        AS r (source_message_id, username, now, client, place)
), locked AS MATERIALIZED (
    SELECT i.message_id, i.username, m.place, m.now, m.client
    FROM (
        SELECT message.id, given.*
        FROM given
        JOIN message ON message.source_message_id = given.source_message_id
        OFFSET 0
    ) AS m, inbox AS i
    WHERE i.message_id = m.id AND i.username = m.username AND i.status = 1
    ORDER BY i.message_id, i.username
    FOR UPDATE OF i
), switched AS (
    UPDATE inbox AS i
    SET status = 2, read_at = locked.now, modifier = locked.client
    FROM locked
    WHERE i.message_id = locked.message_id AND i.username = locked.username
    RETURNING locked.place
), new_event AS (
    INSERT INTO event_log (kind, events, happened, username, source_message_id)
    SELECT 2, n, now, username, source_message_id
    FROM given
    JOIN (SELECT place, count(*) AS n FROM switched GROUP BY place) AS s ON s.place = given.place
    RETURNING username, source_message_id, events, xid, seq
)
SELECT given.place, e.events, e.xid, e.seq
FROM new_event AS e
JOIN given ON given.username = e.username AND given.source_message_id = e.source_message_id`,
		"source_message_id", "username", "now", "client")
)
