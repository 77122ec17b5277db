-- kept: whether the bytes are there. A row is added before its bytes are, and dropped where they do not come.
ALTER TABLE file ADD COLUMN kept boolean NOT NULL DEFAULT true;

-- Serves the search for what uploads have left that never came to their end.
CREATE INDEX file_left ON file (create_time) WHERE NOT kept;
