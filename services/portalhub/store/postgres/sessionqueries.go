package postgres

import "example.com/hub/pkg/store"

var (
	beginSession = store.PostgreSQL.Bind(`-- name: begin_session
INSERT INTO session (hash, username, claims, begun, renewed)
VALUES (@hash, @username, @claims, @now, @now)
ON CONFLICT (hash) DO NOTHING`, "hash", "username", "claims", "now")

	getSession = store.PostgreSQL.Bind(`-- name: get_session
SELECT hash, username, claims, begun, renewed, ended
FROM session
WHERE hash = @hash`, "hash")

	renewSession = store.PostgreSQL.Bind(`-- name: renew_session
UPDATE session
SET renewed = GREATEST(renewed, @now)
WHERE hash = @hash AND ended IS NULL`, "hash", "now")

	endSession = store.PostgreSQL.Bind(`-- name: end_session
UPDATE session
SET ended = @now
WHERE hash = @hash AND ended IS NULL`, "hash", "now")

	// selectSessionUsers gives the next users behind one. It leaps from one to the next in session_username.
	selectSessionUsers = store.PostgreSQL.Bind(`-- name: select_session_users
WITH RECURSIVE users (username) AS (
    SELECT min(username)
    FROM session
    WHERE username > @after
    UNION ALL
    SELECT (SELECT min(username) FROM session WHERE username > users.username)
    FROM users
    WHERE users.username IS NOT NULL
)
SELECT username
FROM users
WHERE username IS NOT NULL
LIMIT @users`, "after", "users")

	// deleteOldSessions finds the sessions of the users in session_username. The limit inside makes it look
	// user by user.
	deleteOldSessions = store.PostgreSQL.Bind(`-- name: delete_old_sessions
DELETE FROM session
WHERE hash = ANY (ARRAY(
    SELECT old.hash
    FROM unnest(@users::text[]) AS u (username), LATERAL (
        SELECT hash
        FROM session
        WHERE username = u.username AND renewed < @before
        LIMIT @rows
        FOR UPDATE SKIP LOCKED
    ) AS old
    LIMIT @rows
))
RETURNING username`, "users", "before", "rows")
)

// lockRetention is true for one transaction at a time. The first number is "retn" in ASCII.
const lockRetention = `-- name: lock_retention
SELECT pg_try_advisory_xact_lock(1919251566, 'session'::regclass::oid::int)`
