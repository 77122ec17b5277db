package sqlite

import "example.com/hub/pkg/store"

var (
	// upsertPerson leaves who is linked otherwise.
	upsertPerson = store.SQLite.Bind(`-- name: upsert_person
INSERT INTO person (username, user_id, name, email, dept_id, active,
    origin, create_time, modify_time, creator_id, modifier_id)
SELECT @username, @user_id, @name, @email, @dept_id, @active, @feed, @now, @now, @client, @client
WHERE NOT EXISTS (SELECT * FROM person WHERE user_id = @user_id AND username <> @username)
ON CONFLICT (username) DO UPDATE
SET user_id = excluded.user_id, name = excluded.name, email = excluded.email, dept_id = excluded.dept_id,
    active = excluded.active, origin = excluded.origin, modifier_id = excluded.modifier_id,
    modify_time = max(person.modify_time, excluded.modify_time)
WHERE person.user_id IS NULL OR person.user_id = excluded.user_id`,
		"username", "user_id", "name", "email", "dept_id", "active", "feed", "now", "client")

	// selectGone finds who is not in the list, which is a JSON array of user ids.
	selectGone = store.SQLite.Bind(`-- name: select_gone
SELECT user_id
FROM person
WHERE user_id > @from AND user_id <= coalesce(@to, user_id) AND active AND origin = @feed AND modify_time < @as_of
  AND user_id NOT IN (SELECT value FROM json_each(@open))
ORDER BY user_id
LIMIT @max + 1`, "from", "to", "feed", "as_of", "open", "max")

	// countListed counts who of the list is there and active.
	countListed = store.SQLite.Bind(`-- name: count_listed
SELECT count(*)
FROM json_each(@open) AS listed JOIN person ON person.user_id = listed.value
WHERE active`, "open")

	// deactivate takes a JSON array of user ids.
	deactivate = store.SQLite.Bind(`-- name: deactivate
UPDATE person
SET active = 0, modify_time = max(modify_time, @now), modifier_id = @client
WHERE user_id IN (SELECT value FROM json_each(@ids))`, "now", "client", "ids")

	// logInPerson tells by a changed row that she is admitted. What the feed told of her stays.
	logInPerson = store.SQLite.Bind(`-- name: log_in_person
INSERT INTO person (username, issuer, subject, name, email, dept_id, active,
    origin, create_time, modify_time, creator_id, modifier_id)
SELECT @username, @issuer, @subject, @name, @email, '', 1, @login, @now, @now, @stamp, @stamp
WHERE @create OR EXISTS (SELECT * FROM person WHERE username = @username)
ON CONFLICT (username) DO UPDATE
SET issuer = excluded.issuer, subject = excluded.subject,
    name = CASE person.origin WHEN @login THEN excluded.name ELSE person.name END,
    email = CASE person.origin WHEN @login THEN excluded.email ELSE person.email END,
    modifier_id = CASE person.origin WHEN @login THEN excluded.modifier_id ELSE person.modifier_id END,
    modify_time = CASE person.origin WHEN @login THEN max(person.modify_time, excluded.modify_time)
        ELSE person.modify_time END
WHERE person.active AND (person.subject = '' OR person.issuer = excluded.issuer AND person.subject = excluded.subject)`,
		"username", "issuer", "subject", "name", "email", "login", "now", "stamp", "create")

	// getPerson answers claims, roles and departments as JSON arrays.
	getPerson = store.SQLite.Bind(`-- name: get_person
WITH RECURSIVE above (dept_id, n) AS (
    SELECT dept_id, 1
    FROM person
    WHERE username = @username AND dept_id <> ''
    UNION ALL
    SELECT dept.parent_id, n + 1
    FROM above JOIN dept USING (dept_id)
    WHERE dept.parent_id <> '' AND n < @depth
)
SELECT `+personColumns.List()+`, issuer, subject,
    coalesce((SELECT claims FROM session WHERE session.username = person.username ORDER BY begun DESC LIMIT 1), '[]'),
    (SELECT json_group_array(role_id ORDER BY role_id) FROM role_member WHERE user_id = person.user_id),
    (SELECT json_group_array(dept_id ORDER BY n) FROM above)
FROM person
WHERE username = @username`, "username", "depth")

	// resolveUsers takes a JSON array of user ids.
	resolveUsers = store.SQLite.Bind(`-- name: resolve_users
SELECT user_id, username
FROM person
WHERE user_id IN (SELECT value FROM json_each(@user_ids))`, "user_ids")
)

var (
	// checkDepartment looks from a parent upwards, and from the department downwards, for one more than may
	// stand above each other. A circle is found on the way up.
	checkDepartment = store.SQLite.Bind(`-- name: check_department
WITH RECURSIVE above (dept_id, n) AS (
    SELECT @parent, 1
    WHERE @parent <> ''
    UNION ALL
    SELECT dept.parent_id, n + 1
    FROM above JOIN dept USING (dept_id)
    WHERE dept.parent_id <> '' AND n <= @depth
), below (dept_id, n) AS (
    SELECT @dept, 1
    UNION ALL
    SELECT dept.dept_id, n + 1
    FROM below JOIN dept ON dept.parent_id = below.dept_id
    WHERE n <= @depth
)
SELECT EXISTS (SELECT * FROM above WHERE dept_id = @dept),
    (SELECT coalesce(max(n), 0) FROM above) + (SELECT max(n) FROM below) > @depth`, "parent", "depth", "dept")

	upsertDepartment = store.SQLite.Bind(`-- name: upsert_department
INSERT INTO dept (dept_id, parent_id, name, create_time, modify_time, creator_id, modifier_id)
VALUES (@dept, @parent, @name, @now, @now, @client, @client)
ON CONFLICT (dept_id) DO UPDATE
SET parent_id = excluded.parent_id, name = excluded.name, modifier_id = excluded.modifier_id,
    modify_time = max(dept.modify_time, excluded.modify_time)
RETURNING `+departmentColumns.List(), "dept", "parent", "name", "now", "client")

	upsertRole = store.SQLite.Bind(`-- name: upsert_role
INSERT INTO role (role_id, name, create_time, modify_time, creator_id, modifier_id)
VALUES (@role, @name, @now, @now, @client, @client)
ON CONFLICT (role_id) DO UPDATE
SET name = excluded.name, modifier_id = excluded.modifier_id,
    modify_time = max(role.modify_time, excluded.modify_time)`, "role", "name", "now", "client")

	// deleteMembers and insertMembers take a JSON array of user ids.
	deleteMembers = store.SQLite.Bind(`-- name: delete_members
DELETE FROM role_member
WHERE role_id = @role AND user_id NOT IN (SELECT value FROM json_each(@user_ids))`, "role", "user_ids")

	insertMembers = store.SQLite.Bind(`-- name: insert_members
INSERT INTO role_member (role_id, user_id)
SELECT @role, value
FROM json_each(@user_ids)
WHERE true
ON CONFLICT DO NOTHING`, "role", "user_ids")

	countMembers = store.SQLite.Bind(`-- name: count_members
SELECT count(*), count(*) - count(person.user_id)
FROM role_member LEFT JOIN person USING (user_id)
WHERE role_id = @role`, "role")
)
