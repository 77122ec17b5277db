-- hash: SHA-256 of the bytes in hexadecimal digits, which names the blob. type: 1 PNG, 2 GIF, 3 WebP, 4 JPEG,
-- 5 PDF. A file never changes, so there is neither a time nor a name of a last change.
CREATE TABLE file (
	create_time timestamptz NOT NULL,
	size        bigint      NOT NULL,
	type        smallint    NOT NULL,
	id          text        COLLATE "C" NOT NULL PRIMARY KEY,
	hash        text        COLLATE "C" NOT NULL,
	name        text        COLLATE "C" NOT NULL,
	creator_id  text        COLLATE "C" NOT NULL
);

-- Serves the search for blobs that no file names.
CREATE INDEX file_hash ON file (hash);
