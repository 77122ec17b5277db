-- Text compares byte by byte (COLLATE "C"), whatever the database's collation is.
-- hash: SHA-256 of the session's id, in base64url. claims: the roles that the provider's token named. ended:
-- null while nobody ended the session. The columns say by themselves who made the row and when.
CREATE TABLE session (
	begun    timestamptz NOT NULL,
	renewed  timestamptz NOT NULL,
	ended    timestamptz,
	hash     text        COLLATE "C" NOT NULL PRIMARY KEY,
	username text        COLLATE "C" NOT NULL,
	claims   text[]      COLLATE "C" NOT NULL
) WITH (
	-- Room for the next version of a row on its page; a renewal touches no index.
	fillfactor = 80,
	autovacuum_vacuum_scale_factor = 0.02
);

-- Serves the search for old sessions, user by user.
CREATE INDEX session_username ON session (username);
