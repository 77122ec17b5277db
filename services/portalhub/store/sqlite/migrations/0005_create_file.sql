-- hash: SHA-256 of the bytes in hexadecimal digits, which names the blob. type: 1 PNG, 2 GIF, 3 WebP, 4 JPEG,
-- 5 PDF. A file never changes, so there is neither a time nor a name of a last change.
CREATE TABLE file (
	id          TEXT    NOT NULL PRIMARY KEY,
	hash        TEXT    NOT NULL,
	type        INTEGER NOT NULL,
	size        INTEGER NOT NULL,
	name        TEXT    NOT NULL,
	create_time INTEGER NOT NULL,
	creator_id  TEXT    NOT NULL
) STRICT;

-- Serves the search for blobs that no file names.
CREATE INDEX file_hash ON file (hash);
