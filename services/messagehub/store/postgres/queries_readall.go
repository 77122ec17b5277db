package postgres

import "example.com/hub/pkg/store"

// updateAllRead switches a batch. The records are found in inbox_list in its order, and each of their
// bodies and messages by its key; OFFSET 0 and the hidden limit keep the planner to that. They are locked
// in the order of their keys, and a record that was read meanwhile is passed over.
//
// Of the transaction that stored a body, the row has the lower half of the number, which begins anew every
// 4 billion transactions. So it is compared for the bodies of the last day alone: no push lasts that long.
// A watermark of transactions that the server has not reached is one of another database.
//
// It answers one row: how many records were found and where the last one stands, how many were switched, and
// the row of the log.
var updateAllRead = store.PostgreSQL.Bind(`-- name: update_all_read
WITH chosen AS MATERIALIZED (
    SELECT i.message_id, i.occurred_at, i.body_id
    FROM inbox AS i,
        LATERAL (SELECT xmin::text::bigint AS xid, create_time, category FROM body WHERE id = i.body_id OFFSET 0) AS b,
        LATERAL (SELECT source_app_id FROM message WHERE id = i.message_id OFFSET 0) AS m
    WHERE i.username = @username AND i.status = 1
      AND (i.occurred_at, i.body_id) < (@below_at, @below_body::bigint)
      AND i.body_id <= @upto_body
      AND (b.create_time < @upto_at::timestamptz - interval '1 day'
        OR (b.xid - @upto_end::bigint) & 4294967295 > 2147483647 AND b.xid <> ALL (@upto_running::bigint[]))
      AND @upto_end <= pg_snapshot_xmax(pg_current_snapshot())::text::bigint
      AND (@source_app_id = '' OR m.source_app_id = @source_app_id)
      AND (@category = '' OR b.category = @category)
    ORDER BY i.occurred_at DESC, i.body_id DESC
    LIMIT (SELECT @rows::bigint)
), locked AS MATERIALIZED (
    SELECT message_id
    FROM inbox
    WHERE username = @username AND status = 1 AND message_id = ANY (ARRAY(SELECT message_id FROM chosen))
    ORDER BY message_id
    FOR UPDATE
), switched AS (
    UPDATE inbox
    SET status = 2, read_at = @now, modifier = @client
    WHERE username = @username AND message_id = ANY (ARRAY(SELECT message_id FROM locked))
    RETURNING message_id, occurred_at, body_id
), newest AS (
    SELECT m.source_message_id
    FROM switched AS s
    JOIN message AS m ON m.id = s.message_id
    ORDER BY s.occurred_at DESC, s.body_id DESC
    LIMIT 1
), old_event AS (
    DELETE FROM event_log
    WHERE xid = @event_xid AND seq = @event_seq AND EXISTS (SELECT FROM switched)
), new_event AS (
    INSERT INTO event_log (kind, events, happened, username, source_message_id)
    SELECT 2, 1, @now, @username, COALESCE(NULLIF(@newest, ''), source_message_id)
    FROM newest
    RETURNING source_message_id, xid, seq
)
SELECT (SELECT count(*) FROM chosen), COALESCE(last.occurred_at, @below_at), COALESCE(last.body_id, @below_body),
       (SELECT count(*) FROM switched), COALESCE(e.source_message_id, @newest),
       COALESCE(e.xid, @event_xid), COALESCE(e.seq, @event_seq)
FROM (SELECT) AS one
LEFT JOIN (SELECT occurred_at, body_id FROM chosen ORDER BY occurred_at, body_id LIMIT 1) AS last ON true
LEFT JOIN new_event AS e ON true`, "now", "client", "username", "upto_at", "upto_body", "upto_end", "upto_running",
	"source_app_id", "category", "rows", "below_at", "below_body", "newest", "event_xid", "event_seq")
