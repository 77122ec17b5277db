package scenario

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// unreadEach is the number of unread records of each measured user but the one with many.
const unreadEach = 50

// others is the number of further users, who make the table and its statistics as they are in use: no
// user has a large part of it.
const others = 10_000

// seedInboxes makes $1 messages, each with a record of the user "large", whose inbox it fills, and one of
// another user. Every n-th also has a record of "medium", "small" or "unread", so that their records
// lie as far apart in the tables as those of any user. $2, $3 and $4 are the numbers of their records,
// $5 is how many are unread, $6 how many others there are. Nobody's list is in the order of the rows.
var seedInboxes = []string{
	`INSERT INTO message (source_message_id, source_app_id)
	SELECT 'seed-' || n, 'erp' FROM generate_series(1, $1::int) AS n`,
	`INSERT INTO body (message_id, occurred_at, create_time, creator, title, category, actions, content)
	SELECT id, now() - id * 7919 % $1::int * interval '1 second', now(), 'erp', 'Order ' || id, 'order', '[]',
		repeat('Twelve desks and chairs. ', 16)
	FROM message`,
	`INSERT INTO inbox (message_id, body_id, ordinal, status, occurred_at, read_at, username, modifier)
	SELECT message_id, id, u.ordinal, u.status, occurred_at, CASE WHEN u.status = 2 THEN now() END, u.username,
		CASE WHEN u.status = 2 THEN 'portal' END
	FROM body CROSS JOIN LATERAL (
		SELECT 0 AS ordinal, 2 - (id % ($1::int / $5::int) = 0)::int AS status, 'large' AS username
		UNION ALL SELECT 1, 2 - (id % ($1::int / $5::int) = 0)::int, 'medium' WHERE id % ($1::int / $2::int) = 0
		UNION ALL SELECT 2, 2 - (id % ($1::int / $5::int) = 0)::int, 'small' WHERE id % ($1::int / $3::int) = 0
		UNION ALL SELECT 3, 1, 'unread' WHERE id % ($1::int / $4::int) = 0
		UNION ALL SELECT 4, 1 + (id % 3 > 0)::int, 'other-' || id * 7907 % $6::int
	) AS u
	ORDER BY message_id, username`,
	// What autovacuum does in use, at a time that would depend on the machine.
	`VACUUM ANALYZE`,
}

// inboxSizes are the records of the users small, medium, unread and large.
type inboxSizes struct{ small, medium, large int }

func fillInboxes(ctx context.Context, db *pgx.Conn, n inboxSizes) error {
	args := [][]any{
		{n.large}, {n.large}, {n.large, n.medium, n.small, n.medium, unreadEach, others}, nil,
	}
	for i, statement := range seedInboxes {
		if _, err := db.Exec(ctx, statement, args[i]...); err != nil {
			return fmt.Errorf("seed inboxes: %w", err)
		}
	}
	return nil
}
