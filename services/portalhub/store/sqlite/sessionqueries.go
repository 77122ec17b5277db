package sqlite

import "example.com/hub/pkg/store"

var (
	beginSession = store.SQLite.Bind(`-- name: begin_session
INSERT INTO session (hash, username, claims, begun, renewed)
VALUES (@hash, @username, @claims, @now, @now)
ON CONFLICT (hash) DO NOTHING`, "hash", "username", "claims", "now")

	getSession = store.SQLite.Bind(`-- name: get_session
SELECT hash, username, claims, begun, renewed, ended
FROM session
WHERE hash = @hash`, "hash")

	renewSession = store.SQLite.Bind(`-- name: renew_session
UPDATE session
SET renewed = MAX(renewed, @now)
WHERE hash = @hash AND ended IS NULL`, "now", "hash")

	endSession = store.SQLite.Bind(`-- name: end_session
UPDATE session
SET ended = @now
WHERE hash = @hash AND ended IS NULL`, "now", "hash")

	// selectSessionUsers gives the next users behind one. It leaps from one to the next in session_username.
	selectSessionUsers = store.SQLite.Bind(`-- name: select_session_users
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

	// deleteOldSessions takes the users as a JSON array and finds their sessions in session_username.
	deleteOldSessions = store.SQLite.Bind(`-- name: delete_old_sessions
DELETE FROM session
WHERE hash IN (
    SELECT s.hash
    FROM json_each(@users) AS u
    CROSS JOIN session AS s ON s.username = u.value
    WHERE s.renewed < @before
    LIMIT @rows
)
RETURNING username`, "users", "before", "rows")
)
