-- Times are microseconds since 1970 in UTC. Text compares byte by byte (BINARY, the default).
-- type: 1 HANDLE, 2 REVIEW. status: 1 OPEN, 2 CLEARED, 3 INVALID.
CREATE TABLE todo (
	id                 TEXT    NOT NULL PRIMARY KEY,
	type               INTEGER NOT NULL,
	status             INTEGER NOT NULL,
	due_at             INTEGER,
	cleared_at         INTEGER,
	create_time        INTEGER NOT NULL,
	modify_time        INTEGER NOT NULL,
	source_system      TEXT    NOT NULL,
	source_biz_id      TEXT    NOT NULL,
	assignee_username  TEXT    NOT NULL,
	initiator_username TEXT    NOT NULL,
	title              TEXT    NOT NULL,
	summary            TEXT    NOT NULL,
	category           TEXT    NOT NULL,
	action_url         TEXT    NOT NULL,
	result             TEXT    NOT NULL DEFAULT '',
	cleared_by         TEXT    NOT NULL DEFAULT '',
	reason             TEXT    NOT NULL DEFAULT '',
	creator_id         TEXT    NOT NULL,
	modifier_id        TEXT    NOT NULL
) STRICT;

-- Serves the default list of a named user, its deep pages and its count without touching the table.
CREATE INDEX todo_list ON todo (assignee_username, status, type, modify_time DESC, id DESC);
