package postgres

import "example.com/hub/pkg/store"

var (
	// upsertPeople locks the rows in the order of the usernames, as every statement does that locks several. It
	// leaves who is linked otherwise.
	upsertPeople = store.PostgreSQL.Bind(`-- name: upsert_people
INSERT INTO person (username, user_id, name, email, dept_id, active,
    origin, create_time, modify_time, creator_id, modifier_id)
SELECT username, user_id, name, email, dept_id, active, @feed, @now, @now, @client, @client
FROM unnest(@usernames::text[], @user_ids::text[], @names::text[], @emails::text[], @dept_ids::text[], @actives::boolean[])
    AS r (username, user_id, name, email, dept_id, active)
WHERE NOT EXISTS (SELECT FROM person WHERE person.user_id = r.user_id AND person.username <> r.username)
ORDER BY username COLLATE "C"
ON CONFLICT (username) DO UPDATE
SET user_id = excluded.user_id, name = excluded.name, email = excluded.email, dept_id = excluded.dept_id,
    active = excluded.active, origin = excluded.origin, modifier_id = excluded.modifier_id,
    modify_time = GREATEST(person.modify_time, excluded.modify_time)
WHERE (person.user_id IS NULL OR person.user_id = excluded.user_id)
  AND (NOT @repeated OR person.modify_time <= excluded.modify_time)
RETURNING username`,
		"usernames", "user_ids", "names", "emails", "dept_ids", "actives", "feed", "now", "client", "repeated")

	// reconcilePeople locks who is gone in the order of the usernames, and makes them inactive unless they are
	// too many. Who of the list is there is counted in the snapshot from before.
	reconcilePeople = store.PostgreSQL.Bind(`-- name: reconcile_people
WITH listed AS (
    SELECT user_id COLLATE "C" AS user_id
    FROM unnest(@open::text[]) AS r (user_id)
), gone AS (
    SELECT username, user_id
    FROM person
    WHERE user_id > @from AND (@to::text IS NULL OR user_id <= @to) AND active AND origin = @feed
      AND modify_time < @as_of AND NOT EXISTS (SELECT FROM listed WHERE listed.user_id = person.user_id)
    ORDER BY user_id
    LIMIT @max::bigint + 1
), locked AS (
    SELECT username
    FROM person
    WHERE username = ANY (ARRAY(SELECT username FROM gone)) AND active AND modify_time < @as_of
      AND NOT @dry::boolean AND (SELECT count(*) FROM gone) <= @max
    ORDER BY username
    FOR UPDATE
), closed AS (
    UPDATE person
    SET active = false, modify_time = GREATEST(modify_time, @now), modifier_id = @client
    FROM locked
    WHERE person.username = locked.username
    RETURNING user_id
)
SELECT count(*),
    CASE WHEN @dry OR count(*) > @max THEN ARRAY(SELECT user_id FROM gone ORDER BY user_id LIMIT @shown)
         ELSE ARRAY(SELECT user_id FROM closed ORDER BY user_id LIMIT @shown) END,
    (SELECT count(*) FROM closed),
    (SELECT count(*) FROM listed JOIN person USING (user_id) WHERE active)
FROM gone`, "open", "from", "to", "feed", "as_of", "max", "dry", "now", "client", "shown")

	// logInPerson tells by its row that she is admitted. What the feed told of her stays.
	logInPerson = store.PostgreSQL.Bind(`-- name: log_in_person
INSERT INTO person (username, issuer, subject, name, email, dept_id, active,
    origin, create_time, modify_time, creator_id, modifier_id)
SELECT @username, @issuer, @subject, @name, @email, '', true, @login, @now, @now, @stamp, @stamp
WHERE @create OR EXISTS (SELECT FROM person WHERE username = @username)
ON CONFLICT (username) DO UPDATE
SET issuer = excluded.issuer, subject = excluded.subject,
    name = CASE person.origin WHEN @login THEN excluded.name ELSE person.name END,
    email = CASE person.origin WHEN @login THEN excluded.email ELSE person.email END,
    modifier_id = CASE person.origin WHEN @login THEN excluded.modifier_id ELSE person.modifier_id END,
    modify_time = CASE person.origin WHEN @login THEN GREATEST(person.modify_time, excluded.modify_time)
        ELSE person.modify_time END
WHERE person.active AND (person.subject = '' OR person.issuer = excluded.issuer AND person.subject = excluded.subject)
RETURNING username`, "username", "issuer", "subject", "name", "email", "login", "now", "stamp", "create")

	getPerson = store.PostgreSQL.Bind(`-- name: get_person
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
    (SELECT claims FROM session WHERE session.username = person.username ORDER BY begun DESC LIMIT 1),
    ARRAY(SELECT role_id FROM role_member WHERE user_id = person.user_id ORDER BY role_id),
    ARRAY(SELECT dept_id FROM above ORDER BY n)
FROM person
WHERE username = @username`, "username", "depth")

	resolveUsers = store.PostgreSQL.Bind(`-- name: resolve_users
SELECT user_id, username
FROM person
WHERE user_id = ANY (@user_ids::text[])`, "user_ids")
)

var (
	// checkDepartment looks from a parent upwards, and from the department downwards, for one more than may
	// stand above each other. A circle is found on the way up.
	checkDepartment = store.PostgreSQL.Bind(`-- name: check_department
WITH RECURSIVE above (dept_id, n) AS (
    SELECT @parent::text COLLATE "C", 1
    WHERE @parent <> ''
    UNION ALL
    SELECT dept.parent_id, n + 1
    FROM above JOIN dept USING (dept_id)
    WHERE dept.parent_id <> '' AND n <= @depth
), below (dept_id, n) AS (
    SELECT @dept::text COLLATE "C", 1
    UNION ALL
    SELECT dept.dept_id, n + 1
    FROM below JOIN dept ON dept.parent_id = below.dept_id
    WHERE n <= @depth
)
SELECT EXISTS (SELECT FROM above WHERE dept_id = @dept),
    (SELECT coalesce(max(n), 0) FROM above) + (SELECT max(n) FROM below) > @depth`, "dept", "parent", "depth")

	upsertDepartment = store.PostgreSQL.Bind(`-- name: upsert_department
INSERT INTO dept (dept_id, parent_id, name, create_time, modify_time, creator_id, modifier_id)
VALUES (@dept, @parent, @name, @now, @now, @client, @client)
ON CONFLICT (dept_id) DO UPDATE
SET parent_id = excluded.parent_id, name = excluded.name, modifier_id = excluded.modifier_id,
    modify_time = GREATEST(dept.modify_time, excluded.modify_time)
RETURNING `+departmentColumns.List(), "dept", "parent", "name", "now", "client")

	upsertRole = store.PostgreSQL.Bind(`-- name: upsert_role
INSERT INTO role (role_id, name, create_time, modify_time, creator_id, modifier_id)
VALUES (@role, @name, @now, @now, @client, @client)
ON CONFLICT (role_id) DO UPDATE
SET name = excluded.name, modifier_id = excluded.modifier_id,
    modify_time = GREATEST(role.modify_time, excluded.modify_time)`, "role", "name", "now", "client")

	deleteMembers = store.PostgreSQL.Bind(`-- name: delete_members
DELETE FROM role_member
WHERE role_id = @role
  AND NOT EXISTS (SELECT FROM unnest(@user_ids::text[]) AS r (user_id) WHERE r.user_id = role_member.user_id)`,
		"role", "user_ids")

	insertMembers = store.PostgreSQL.Bind(`-- name: insert_members
INSERT INTO role_member (role_id, user_id)
SELECT @role, user_id
FROM unnest(@user_ids::text[]) AS r (user_id)
ON CONFLICT DO NOTHING`, "role", "user_ids")

	countMembers = store.PostgreSQL.Bind(`-- name: count_members
SELECT count(*), count(*) - count(person.user_id)
FROM role_member LEFT JOIN person USING (user_id)
WHERE role_id = @role`, "role")
)

// lockDepartments lets one transaction at a time move departments, so that two together make no circle. The
// first number is "dept" in ASCII.
const lockDepartments = `-- name: lock_departments
SELECT pg_advisory_xact_lock(1684369524, 'dept'::regclass::oid::int)`
