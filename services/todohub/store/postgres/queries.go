package postgres

import "example.com/hub/pkg/store"

// replace is what becomes of an item that is there. The run that a repeat repeats may have set the former
// assignee.
var replace = `
ON CONFLICT (id) DO UPDATE
SET modify_time = GREATEST(todo.modify_time, excluded.modify_time),
    source_system = excluded.source_system, modifier_id = excluded.modifier_id,
    source_version = COALESCE(excluded.source_version, todo.source_version),
    former_assignee = COALESCE(NULLIF(todo.assignee_username, excluded.assignee_username),
        CASE WHEN @repeated THEN todo.former_assignee END),
    ` + given.Replaced() + `
WHERE (todo.source_version <= excluded.source_version) IS NOT FALSE
  AND (NOT @repeated OR todo.modify_time <= excluded.modify_time)`

var (
	// upsertTodo lets the first writer's status, creator and create time stand; one that may be a repeat
	// lets a change that was made later stand, too. A version that is not given, or not stored, compares as
	// null, which is not false.
	upsertTodo = store.PostgreSQL.Bind(`-- name: upsert_todo
INSERT INTO todo (`+given.List()+`,
    id, status, create_time, modify_time, source_system, creator_id, modifier_id, source_version)
VALUES (`+given.Binds()+`,
    @id, @open, @now, @now, @client, @client, @client, @version)`+replace+`
  AND (@owner = '' OR todo.creator_id = @owner)
RETURNING `+kept.List(), given.Then("id", "open", "now", "client", "owner", "version", "repeated")...)

	// upsertTodos is upsertTodo for rows in arrays. It locks them in the order of their ids, as every
	// statement does that locks several. Where clients may change only what they created, the ids in free are
	// those of the others.
	upsertTodos = store.PostgreSQL.Bind(`-- name: upsert_todos
INSERT INTO todo (`+given.List()+`,
    id, status, create_time, modify_time, source_system, creator_id, modifier_id, source_version)
SELECT `+given.List()+`,
    id, @open, now, now, client, client, client, version
FROM unnest(`+givenArrays+`, @id::text[], @now::timestamptz[], @client::text[], @version::bigint[])
    AS r (`+given.List()+`, id, now, client, version)
ORDER BY id COLLATE "C"`+replace+`
  AND (NOT @owned OR todo.creator_id = excluded.creator_id OR excluded.id = ANY (@free::text[]))
RETURNING `+kept.List(), given.Then("id", "now", "client", "version", "open", "owned", "free", "repeated")...)

	clearTodo = store.PostgreSQL.Bind(`-- name: clear_todo
UPDATE todo
SET status = @to, result = @result, cleared_at = @cleared_at, cleared_by = @cleared_by, reason = @reason,
    modify_time = GREATEST(modify_time, @now), modifier_id = @client,
    source_version = COALESCE(@version, source_version)
WHERE id = @id AND status = @from AND (@owner = '' OR creator_id = @owner)
  AND (source_version <= @version) IS NOT FALSE
RETURNING `+columns.List(),
		"id", "from", "to", "result", "cleared_at", "cleared_by", "reason", "now", "client", "owner", "version")

	invalidateTodo = store.PostgreSQL.Bind(`-- name: invalidate_todo
UPDATE todo
SET status = @to, reason = @reason, modify_time = GREATEST(modify_time, @now), modifier_id = @client,
    source_version = COALESCE(@version, source_version)
WHERE id = @id AND status = @from AND (@owner = '' OR creator_id = @owner)
  AND (source_version <= @version) IS NOT FALSE
RETURNING `+columns.List(), "id", "from", "to", "reason", "now", "client", "owner", "version")

	// reconcileTodos locks what is gone in the order of the ids, and closes it unless it is too much. What of
	// the list is open is counted in the snapshot from before. The last id is a bound of the scan also in a
	// plan that does not know whether there is one.
	reconcileTodos = store.PostgreSQL.Bind(`-- name: reconcile_todos
WITH listed AS (
    SELECT id COLLATE "C" AS id, version
    FROM unnest(@ids::text[], @versions::bigint[]) AS r (id, version)
), gone AS (
    SELECT id, assignee_username
    FROM todo
    WHERE source_system = @client AND status = @open
      AND id > @from AND id <= COALESCE(@to::text COLLATE "C", (SELECT max(id) FROM todo))
      AND modify_time < @as_of AND (@owner = '' OR creator_id = @owner)
      AND NOT EXISTS (SELECT FROM listed WHERE listed.id = todo.id)
    ORDER BY id
    LIMIT @max::bigint + 1
    FOR UPDATE
), closed AS (
    UPDATE todo
    SET status = @action::smallint, modify_time = GREATEST(modify_time, @now), modifier_id = @client,
        result = CASE WHEN @clears::boolean THEN @result ELSE todo.result END,
        cleared_at = CASE WHEN @clears THEN @now::timestamptz ELSE cleared_at END,
        reason = CASE WHEN @clears THEN reason ELSE @result END
    FROM gone
    WHERE todo.id = gone.id AND NOT @dry::boolean AND (SELECT count(*) FROM gone) <= @max
)
SELECT (SELECT count(*) FROM gone), ARRAY(SELECT id FROM gone ORDER BY id), ARRAY(SELECT assignee_username FROM gone ORDER BY id),
    seen.open, seen.stale
FROM (
    SELECT count(*) AS open, count(*) FILTER (WHERE source_version < version) AS stale
    FROM listed JOIN todo USING (id)
    WHERE status = @open
) AS seen`, "ids", "versions", "client", "open", "from", "to", "as_of", "owner", "max", "action", "now", "clears", "result", "dry")

	// countTodos counts only the lists that are asked for; the others are null. It finds them in todo_list, and
	// looks at rows for what is overdue.
	countTodos = store.PostgreSQL.Bind(`-- name: count_lists
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

	getTodo = store.PostgreSQL.Bind(`-- name: get_todo
SELECT `+columns.List()+`
FROM todo
WHERE id = @id`, "id")

	// selectAssignees gives the next users behind one. It leaps from one to the next in todo_list.
	selectAssignees = store.PostgreSQL.Bind(`-- name: select_assignees
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

	// deleteOld finds the items of the users in todo_list, which has them by status, type and modify
	// time. The limit inside makes it look user by user.
	deleteOld = store.PostgreSQL.Bind(`-- name: delete_old
DELETE FROM todo
WHERE id = ANY (ARRAY(
    SELECT old.id
    FROM unnest(@users::text[]) AS u (username), LATERAL (
        SELECT id
        FROM todo
        WHERE assignee_username = u.username AND status IN (@cleared, @invalid) AND type IN (@handle, @review)
          AND modify_time < @before
        LIMIT @rows
        FOR UPDATE SKIP LOCKED
    ) AS old
    LIMIT @rows
))
RETURNING assignee_username`, "users", "cleared", "invalid", "handle", "review", "before", "rows")
)

const (
	// lockRetention is true for one transaction at a time. The first number is "retn" in ASCII.
	lockRetention = `-- name: lock_retention
SELECT pg_try_advisory_xact_lock(1919251566, 'todo'::regclass::oid::int)`

	// ping needs every migration.
	ping = `-- name: ping
SELECT former_assignee
FROM todo
LIMIT 1`
)
