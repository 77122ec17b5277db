package sqlite

import "example.com/hub/pkg/store"

var (
	// upsertTodo lets the first writer's status, creator and create time stand. A version that is not given,
	// or not stored, compares as null, which is not false.
	upsertTodo = store.SQLite.Bind(`-- name: upsert_todo
INSERT INTO todo (`+given.List()+`,
    id, status, create_time, modify_time, source_system, creator_id, modifier_id, source_version)
VALUES (`+given.Binds()+`,
    @id, @open, @now, @now, @client, @client, @client, @version)
ON CONFLICT (id) DO UPDATE
SET modify_time = max(todo.modify_time, excluded.modify_time),
    source_system = excluded.source_system, modifier_id = excluded.modifier_id,
    source_version = COALESCE(excluded.source_version, todo.source_version),
    former_assignee = NULLIF(todo.assignee_username, excluded.assignee_username),
    `+given.Replaced()+`
WHERE (@owner = '' OR todo.creator_id = @owner)
  AND (todo.source_version <= excluded.source_version) IS NOT FALSE`,
		given.Then("id", "open", "now", "client", "version", "owner")...)

	// selectUpserted takes the ids as a JSON array, and gives the place of each in it.
	selectUpserted = store.SQLite.Bind(`-- name: select_upserted
SELECT listed.key, `+kept.List()+`
FROM json_each(@ids) AS listed CROSS JOIN todo ON todo.id = listed.value`, "ids")

	clearTodo = store.SQLite.Bind(`-- name: clear_todo
UPDATE todo
SET status = @to, result = @result, cleared_at = @cleared_at, cleared_by = @cleared_by, reason = @reason,
    modify_time = max(modify_time, @now), modifier_id = @client,
    source_version = COALESCE(@version, source_version)
WHERE id = @id AND status = @from AND (@owner = '' OR creator_id = @owner)
  AND (source_version <= @version) IS NOT FALSE
RETURNING `+columns.List(),
		"id", "from", "to", "result", "cleared_at", "cleared_by", "reason", "now", "client", "owner", "version")

	invalidateTodo = store.SQLite.Bind(`-- name: invalidate_todo
UPDATE todo
SET status = @to, reason = @reason, modify_time = max(modify_time, @now), modifier_id = @client,
    source_version = COALESCE(@version, source_version)
WHERE id = @id AND status = @from AND (@owner = '' OR creator_id = @owner)
  AND (source_version <= @version) IS NOT FALSE
RETURNING `+columns.List(), "id", "from", "to", "reason", "now", "client", "owner", "version")

	// selectGone finds what is not in the list, which is a JSON array of ids.
	selectGone = store.SQLite.Bind(`-- name: select_gone
SELECT id, assignee_username
FROM todo
WHERE source_system = @client AND status = @open
  AND id > @from AND id <= coalesce(@to, (SELECT max(id) FROM todo))
  AND modify_time < @as_of AND (@owner = '' OR creator_id = @owner)
  AND id NOT IN (SELECT value FROM json_each(@ids))
ORDER BY id
LIMIT @max + 1`, "client", "open", "from", "to", "as_of", "owner", "ids", "max")

	// countListed counts what of the list is open, and with an older version. The list is a JSON array of
	// pairs.
	countListed = store.SQLite.Bind(`-- name: count_listed
SELECT count(*), count(CASE WHEN source_version < value ->> 1 THEN 1 END)
FROM json_each(@pairs) AS listed JOIN todo ON todo.id = listed.value ->> 0
WHERE status = @open`, "pairs", "open")

	// countTodos counts only the lists that are asked for; the others are null. It finds them in todo_list, and
	// looks at rows for what is overdue.
	countTodos = store.SQLite.Bind(`-- name: count_lists
SELECT
    CASE WHEN @to_handle THEN (
        SELECT count(*) FROM todo WHERE assignee_username = @assignee AND status = @open AND type = @handle) END,
    CASE WHEN @to_read THEN (
        SELECT count(*) FROM todo WHERE assignee_username = @assignee AND status = @open AND type = @review) END,
    CASE WHEN @overdue THEN (
        SELECT count(*) FROM todo WHERE assignee_username = @assignee AND status = @open AND type = @handle
            AND due_at < @now) END,
    CASE WHEN @done THEN (
        SELECT count(*) FROM todo WHERE assignee_username = @assignee AND status = @cleared AND type = @handle) END,
    CASE WHEN @read THEN (
        SELECT count(*) FROM todo WHERE assignee_username = @assignee AND status = @cleared AND type = @review) END`,
		"assignee", "to_handle", "to_read", "overdue", "done", "read", "now", "open", "cleared", "handle", "review")

	getTodo = store.SQLite.Bind(`-- name: get_todo
SELECT `+columns.List()+`
FROM todo
WHERE id = @id`, "id")

	// selectAssignees gives the next users behind one. It leaps from one to the next in todo_list.
	selectAssignees = store.SQLite.Bind(`-- name: select_assignees
WITH RECURSIVE users (username) AS (
    SELECT min(assignee_username)
    FROM todo
    WHERE assignee_username > @after
    UNION ALL
    SELECT (SELECT min(assignee_username) FROM todo WHERE assignee_username > users.username)
    FROM users
    WHERE users.username IS NOT NULL
)
SELECT username
FROM users
WHERE username IS NOT NULL
LIMIT @users`, "after", "users")

	// deleteOld takes the users as a JSON array and finds their items in todo_list, which has them by
	// status, type and modify time.
	deleteOld = store.SQLite.Bind(`-- name: delete_old
DELETE FROM todo
WHERE id IN (
    SELECT t.id
    FROM json_each(@users) AS u
    CROSS JOIN todo AS t ON t.assignee_username = u.value
    WHERE t.status IN (@cleared, @invalid) AND t.type IN (@handle, @review)
      AND t.modify_time < @before
    LIMIT @rows
)
RETURNING assignee_username`, "users", "cleared", "invalid", "handle", "review", "before", "rows")
)

// ping needs every migration.
const ping = `-- name: ping
SELECT former_assignee IS NULL
FROM todo
LIMIT 1`
