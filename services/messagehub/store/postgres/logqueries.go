package postgres

import "example.com/hub/pkg/store"

// The statements of the event log and of the lease of its sweep.
var (
	// updateSweep takes the lease of the sweep or renews it; only a renewal moves the position. It
	// answers the position, and for how long another holder has the lease.
	updateSweep = store.PostgreSQL.Bind(`-- name: update_sweep
WITH held AS (
    UPDATE event_sweep
    SET holder = @holder, expires = clock_timestamp() + @time::interval,
        xid = CASE WHEN holder = @holder THEN @xid ELSE xid END,
        seq = CASE WHEN holder = @holder THEN @seq ELSE seq END
    WHERE holder = @holder OR expires <= clock_timestamp()
    RETURNING xid, seq
)
SELECT true, xid, seq, interval '0'
FROM held
UNION ALL
SELECT false, xid, seq, expires - clock_timestamp()
FROM event_sweep
WHERE NOT EXISTS (SELECT FROM held)`, "holder", "time", "xid", "seq")

	releaseSweep = store.PostgreSQL.Bind(`-- name: release_sweep
UPDATE event_sweep
SET expires = 'epoch', xid = @xid, seq = @seq
WHERE holder = @holder`, "holder", "xid", "seq")

	// selectEvents answers the watermark and the first transaction that has not begun in front of each row;
	// without rows, they stand in front of a row of zeros.
	selectEvents = store.PostgreSQL.Bind(`-- name: select_events
SELECT s.watermark, s.next, COALESCE(e.xid, '0'), COALESCE(e.seq, 0),
       COALESCE(clock_timestamp() - e.created, '0'), COALESCE(e.kind, 0), COALESCE(e.events, 0),
       COALESCE(e.body_id, 0), COALESCE(e.happened, 'epoch'), COALESCE(e.username, ''),
       COALESCE(e.source_message_id, '')
FROM (
    SELECT pg_snapshot_xmin(now), pg_snapshot_xmax(now)
    FROM pg_current_snapshot() AS now
) AS s (watermark, next)
LEFT JOIN LATERAL (
    SELECT xid, seq, created, kind, events, body_id, happened, username, source_message_id
    FROM event_log
    WHERE (xid, seq) > (@after_xid, @after_seq) AND xid < s.next
    ORDER BY xid, seq
    LIMIT @rows
) AS e ON true
ORDER BY e.xid, e.seq`, "after_xid", "after_seq", "rows")

	// selectRecipients answers the records of the bodies, each with the place that is given with it.
	selectRecipients = store.PostgreSQL.Bind(`-- name: select_recipients
SELECT wanted.place, b.id, i.ordinal, i.username, b.create_time
FROM unnest(@bodies::bigint[], @places::bigint[]) AS wanted (body_id, place)
JOIN body AS b ON b.id = wanted.body_id
JOIN inbox AS i ON i.message_id = b.message_id AND i.body_id = b.id
ORDER BY wanted.place, i.ordinal`, "bodies", "places")

	// selectBefore answers the last row that is older, looking from the end.
	selectBefore = store.PostgreSQL.Bind(`-- name: select_before
SELECT xid, seq
FROM event_log
WHERE created < clock_timestamp() - @age::interval
  AND xid < pg_snapshot_xmax(pg_current_snapshot())
ORDER BY xid DESC, seq DESC
LIMIT 1`, "age")

	// deleteEvents looks at the first rows behind a position only, since vacuum may not have come to the
	// dead ones before it. Rows of transactions that have not begun came with a dump from another server;
	// their order makes PostgreSQL look for them in the index. It answers the number of rows, the position
	// up to which all are gone with the age of the row there, and the size of the table with its index.
	deleteEvents = store.PostgreSQL.Bind(`-- name: delete_events
WITH front AS MATERIALIZED (
    SELECT ctid, xid, seq, clock_timestamp() - created AS age
    FROM event_log
    WHERE (xid, seq) > (@after_xid, @after_seq) AND (xid, seq) <= (@end_xid, @end_seq)
    ORDER BY xid, seq
    LIMIT @rows
), gone AS (
    DELETE FROM event_log
    WHERE ctid = ANY (ARRAY(
        SELECT ctid
        FROM front
        WHERE age > @age::interval
        UNION ALL
        (
            SELECT ctid
            FROM event_log
            WHERE xid > pg_snapshot_xmax(pg_current_snapshot())
            ORDER BY xid, seq
            LIMIT @rows
        )
    ))
    RETURNING xid
)
SELECT (SELECT count(*) FROM gone), last.xid, last.seq, last.age, pg_total_relation_size('event_log')
FROM (
    (SELECT xid, seq, age FROM front WHERE (SELECT min(age) > @age::interval FROM front) ORDER BY xid DESC, seq DESC LIMIT 1)
    UNION ALL
    SELECT @after_xid, @after_seq, '0'
    LIMIT 1
) AS last`, "after_xid", "after_seq", "end_xid", "end_seq", "age", "rows")
)
