-- Times are microseconds since 1970 in UTC. Text compares byte by byte (BINARY, the default).
-- hash: SHA-256 of the session's id, in base64url. claims: the roles that the provider's token named, as a JSON
-- array. ended: null while nobody ended the session.
CREATE TABLE session (
	hash     TEXT    NOT NULL PRIMARY KEY,
	username TEXT    NOT NULL,
	claims   TEXT    NOT NULL,
	begun    INTEGER NOT NULL,
	renewed  INTEGER NOT NULL,
	ended    INTEGER
) STRICT;

-- Serves the search for old sessions, user by user.
CREATE INDEX session_username ON session (username);
