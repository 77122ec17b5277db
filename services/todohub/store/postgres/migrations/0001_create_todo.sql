-- Text compares byte by byte (COLLATE "C"), whatever the database's collation is.
-- type: 1 HANDLE, 2 REVIEW. status: 1 OPEN, 2 CLEARED, 3 INVALID.
-- Columns of fixed width come first, those that may be null behind the others: so their places in a
-- row are known and reading one does not walk over the texts.
CREATE TABLE todo (
	create_time        timestamptz NOT NULL,
	modify_time        timestamptz NOT NULL,
	type               smallint    NOT NULL,
	status             smallint    NOT NULL,
	due_at             timestamptz,
	cleared_at         timestamptz,
	id                 text        COLLATE "C" NOT NULL PRIMARY KEY,
	source_system      text        COLLATE "C" NOT NULL,
	source_biz_id      text        COLLATE "C" NOT NULL,
	assignee_username  text        COLLATE "C" NOT NULL,
	initiator_username text        COLLATE "C" NOT NULL,
	title              text        COLLATE "C" NOT NULL,
	summary            text        COLLATE "C" NOT NULL,
	category           text        COLLATE "C" NOT NULL,
	action_url         text        COLLATE "C" NOT NULL,
	result             text        COLLATE "C" NOT NULL DEFAULT '',
	cleared_by         text        COLLATE "C" NOT NULL DEFAULT '',
	reason             text        COLLATE "C" NOT NULL DEFAULT '',
	creator_id         text        COLLATE "C" NOT NULL,
	modifier_id        text        COLLATE "C" NOT NULL
) WITH (
	-- Room for the next version of a row on its page.
	fillfactor = 90,
	-- Every upsert leaves a dead row and dead index entries. Cleaning up after 2 % instead of 20 %
	-- keeps the list's index small and its scans index-only.
	autovacuum_vacuum_scale_factor = 0.02,
	autovacuum_vacuum_insert_scale_factor = 0.02,
	autovacuum_analyze_scale_factor = 0.02
);

-- Serves the default list of a named user, its deep pages and its count without touching the table.
CREATE INDEX todo_list ON todo (assignee_username, status, type, modify_time DESC, id DESC);
