package postgres

import "example.com/hub/pkg/store"

// updateAllRead switches what matches of a batch. The records of a batch are found in inbox_list in its order,
// so that the time of a batch does not depend on how few match. They are locked in the order of their keys, and
// one that was read meanwhile is passed over.
//
// All the rest goes by keys. The planner does not know how large a batch is, nor how many records a user has:
// it is kept from reading a table for a large batch by the hidden limit and the array, and from reading all
// of a user's records for a small one by OFFSET 0, which hides that the username is always the same.
//
// Of the transaction that stored a body, the row has the lower half of the number, which begins anew every
// 4 billion transactions. So it is compared for the bodies of the last day alone: no push lasts that long.
// A watermark of transactions that the server has not reached is one of another database.
//
// It answers one row: how many records were looked at and where the last one stands, how many were switched,
// and the row of the log.
var updateAllRead = store.PostgreSQL.Bind(`-- name: update_all_read
WITH batch AS MATERIALIZED (
    SELECT message_id, occurred_at, body_id
    FROM inbox
    WHERE username = @username AND status = 1
      AND (occurred_at, body_id) < (@below_at, @below_body::bigint)
    ORDER BY occurred_at DESC, body_id DESC
    LIMIT (SELECT @rows::bigint)
), locked AS MATERIALIZED (
    SELECT i.message_id, i.username
    FROM (
        SELECT @username::text AS username, unnest(ARRAY(
            SELECT batch.message_id
            FROM batch,
                LATERAL (SELECT xmin::text::bigint AS xid, create_time, category FROM body WHERE id = batch.body_id OFFSET 0) AS b,
                LATERAL (SELECT source_app_id FROM message WHERE id = batch.message_id OFFSET 0) AS m
            WHERE batch.body_id <= @upto_body
              AND (b.create_time < @upto_at::timestamptz - interval '1 day'
                OR (b.xid - @upto_end::bigint) & 4294967295 > 2147483647 AND b.xid <> ALL (@upto_running::bigint[]))
              AND @upto_end <= pg_snapshot_xmax(pg_current_snapshot())::text::bigint
              AND (@source_app_id = '' OR m.source_app_id = @source_app_id)
              AND (@category = '' OR b.category = @category)
        )) AS message_id
        OFFSET 0
    ) AS k, inbox AS i
    WHERE i.message_id = k.message_id AND i.username = k.username AND i.status = 1
    ORDER BY i.message_id
    FOR UPDATE OF i
), switched AS (
    UPDATE inbox AS i
    SET status = 2, read_at = @now, modifier = @client
    FROM locked
    WHERE i.message_id = locked.message_id AND i.username = locked.username
    RETURNING i.message_id, i.occurred_at, i.body_id
), newest AS (
    SELECT source_message_id
    FROM message
    WHERE id = (SELECT message_id FROM switched ORDER BY occurred_at DESC, body_id DESC LIMIT 1)
), old_event AS (
    DELETE FROM event_log
    WHERE xid = @event_xid AND seq = @event_seq AND EXISTS (SELECT FROM switched)
), new_event AS (
    INSERT INTO event_log (kind, events, happened, username, source_message_id)
    SELECT 2, 1, @now, @username, COALESCE(NULLIF(@newest, ''), source_message_id)
    FROM newest
    RETURNING source_message_id, xid, seq
)
SELECT (SELECT count(*) FROM batch), COALESCE(last.occurred_at, @below_at), COALESCE(last.body_id, @below_body),
       (SELECT count(*) FROM switched), COALESCE(e.source_message_id, @newest),
       COALESCE(e.xid, @event_xid), COALESCE(e.seq, @event_seq)
FROM (SELECT) AS one
LEFT JOIN (SELECT occurred_at, body_id FROM batch ORDER BY occurred_at, body_id LIMIT 1) AS last ON true
LEFT JOIN new_event AS e ON true`, "now", "client", "username", "upto_at", "upto_body", "upto_end", "upto_running",
	"source_app_id", "category", "rows", "below_at", "below_body", "newest", "event_xid", "event_seq")
