-- sso: 1 none, 2 a ticket. visible_for: subjects as user:ID, dept:ID and role:ID in a JSON array; none is
-- everybody.
CREATE TABLE app (
	id          TEXT    NOT NULL PRIMARY KEY,
	name        TEXT    NOT NULL,
	icon_url    TEXT    NOT NULL,
	entry_url   TEXT    NOT NULL,
	sort        INTEGER NOT NULL,
	enabled     INTEGER NOT NULL,
	visible_for TEXT    NOT NULL,
	sso         INTEGER NOT NULL,
	create_time INTEGER NOT NULL,
	modify_time INTEGER NOT NULL,
	creator_id  TEXT    NOT NULL,
	modifier_id TEXT    NOT NULL
) STRICT;
