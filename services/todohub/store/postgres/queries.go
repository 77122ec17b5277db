package postgres

import "example.com/hub/services/todohub/internal/todo"

// columns is every column in the order of scan.
const columns = `id, type, status, due_at, cleared_at, create_time, modify_time,
	source_system, source_biz_id, assignee_username, initiator_username, title, summary, category, action_url,
	result, cleared_by, reason, creator_id, modifier_id`

// sqlUpsert lets the first writer's status, creator and create time stand. $15 is the owner. $16 says
// that a change that was made later stands, too.
const sqlUpsert = `-- name: upsert_todo
INSERT INTO todo (
		id, type, status, due_at, create_time, modify_time,
		source_system, source_biz_id, assignee_username, initiator_username, title, summary, category, action_url,
		creator_id, modifier_id
	) VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)
	ON CONFLICT (id) DO UPDATE SET
		type               = excluded.type,
		due_at             = excluded.due_at,
		modify_time        = GREATEST(todo.modify_time, excluded.modify_time),
		source_system      = excluded.source_system,
		source_biz_id      = excluded.source_biz_id,
		assignee_username  = excluded.assignee_username,
		initiator_username = excluded.initiator_username,
		title              = excluded.title,
		summary            = excluded.summary,
		category           = excluded.category,
		action_url         = excluded.action_url,
		modifier_id        = excluded.modifier_id
	WHERE ($15 = '' OR todo.creator_id = $15)
		AND (NOT $16 OR todo.modify_time <= excluded.modify_time)
	RETURNING ` + columns

// sqlClear goes from status $2 to $3. $10 is the owner.
const sqlClear = `-- name: clear_todo
UPDATE todo SET
		status = $3, result = $4, cleared_at = $5, cleared_by = $6, reason = $7,
		modify_time = GREATEST(modify_time, $8), modifier_id = $9
	WHERE id = $1 AND status = $2 AND ($10 = '' OR creator_id = $10)
	RETURNING ` + columns

// sqlInvalidate goes from status $2 to $3. $7 is the owner.
const sqlInvalidate = `-- name: invalidate_todo
UPDATE todo SET
		status = $3, reason = $4,
		modify_time = GREATEST(modify_time, $5), modifier_id = $6
	WHERE id = $1 AND status = $2 AND ($7 = '' OR creator_id = $7)
	RETURNING ` + columns

const sqlGet = `-- name: get_todo
SELECT ` + columns + ` FROM todo WHERE id = $1`

const sqlPing = `-- name: ping
SELECT 1 FROM todo LIMIT 1`

// sqlLockRetention is true for one transaction at a time. The first number is "retn" in ASCII.
const sqlLockRetention = `-- name: lock_retention
SELECT pg_try_advisory_xact_lock(1919251566, 'todo'::regclass::oid::int)`

// sqlAssignees gives the next $2 users behind $1. It leaps from one to the next in todo_list.
const sqlAssignees = `-- name: select_assignees
WITH RECURSIVE users (username) AS (
		SELECT min(assignee_username) FROM todo WHERE assignee_username > $1
		UNION ALL
		SELECT (SELECT min(assignee_username) FROM todo WHERE assignee_username > users.username)
		FROM users WHERE users.username IS NOT NULL
	)
	SELECT username FROM users WHERE username IS NOT NULL LIMIT $2`

// sqlRemoveOld finds the items in todo_list, which has them by user, status, type and modify time. The
// limit inside makes it look user by user.
const sqlRemoveOld = `-- name: delete_old
DELETE FROM todo WHERE id = ANY (ARRAY(
		SELECT old.id FROM unnest($1::text[]) AS u (username), LATERAL (
			SELECT id FROM todo
			WHERE assignee_username = u.username AND status IN ($2, $3) AND type IN ($4, $5) AND modify_time < $6
			LIMIT $7
			FOR UPDATE SKIP LOCKED
		) AS old
		LIMIT $7
	))
	RETURNING assignee_username`

// filter is the WHERE of a list and the LIMIT whose binds follow it.
type filter struct {
	where, limit string
}

var (
	filterAll      = filter{`status = $1 AND type = $2`, `LIMIT $3 OFFSET $4`}
	filterAssignee = filter{`status = $1 AND type = $2 AND assignee_username = $3`, `LIMIT $4 OFFSET $5`}
)

// sqlList puts the total in front of every row of the page; a page without items is one row of nulls
// behind it.
func sqlList(f filter, page, order string) string {
	return `-- name: list_todos
SELECT total.n, ` + columns + `
		FROM (SELECT count(*) AS n FROM todo WHERE ` + f.where + `) AS total
		LEFT JOIN ` + page + ` ON true
		ORDER BY ` + order
}

// sqlDeep finds the keys of the page first and reads only their rows: in the default order of a named
// user, the index alone answers the first step, however deep the page is.
func sqlDeep(f filter, order string) string {
	return sqlList(f, `(todo JOIN (SELECT id FROM todo WHERE `+f.where+` ORDER BY `+order+` `+f.limit+`) AS page USING (id))`, order)
}

// sqlShallow takes the items of the page from the index scan that finds them, and reads those in front
// of the page, too. That is a block for each item, and for each of the page three less than sqlDeep,
// which goes down a second index. The scan's limit is hidden from the planner, which then takes it to be
// a tenth of the list: so it reads the index in order, instead of sorting what it takes for few items,
// and finds nothing to gain from a plan of its own for each call.
func sqlShallow(order string) string {
	f := filterAssignee
	return sqlList(f, `(SELECT `+columns+` FROM (
				SELECT `+columns+` FROM todo WHERE `+f.where+` ORDER BY `+order+` LIMIT (SELECT $4::bigint + $5::bigint)
			) AS front ORDER BY `+order+` `+f.limit+`) AS page`, order)
}

// orderBy gives the columns of a sort. Columns that are never null say nothing about nulls, so that
// an index can serve them.
func orderBy(s todo.Sort) string {
	direction := ` ASC`
	if s.Descending {
		direction = ` DESC`
	}
	tie := `, id` + direction
	switch s.Field {
	case todo.SortModifyTime:
		return `modify_time` + direction + tie
	case todo.SortCreateTime:
		return `create_time` + direction + tie
	case todo.SortDueAt:
		return `due_at` + direction + ` NULLS LAST` + tie
	case todo.SortClearedAt:
		return `cleared_at` + direction + ` NULLS LAST` + tie
	case todo.SortTitle:
		return `title` + direction + tie
	case todo.SortCategory:
		return `category` + direction + tie
	case todo.SortSourceSystem:
		return `source_system` + direction + tie
	default:
		return `id` + direction
	}
}
