-- Times are microseconds since 1970 in UTC. Text compares byte by byte (BINARY, the default).
-- user_id: null until a feed tells of the person. issuer, subject: those of the first login, '' before.
-- origin: 1 feed, 2 login.
CREATE TABLE person (
	username    TEXT    NOT NULL PRIMARY KEY,
	user_id     TEXT    UNIQUE,
	issuer      TEXT    NOT NULL DEFAULT '',
	subject     TEXT    NOT NULL DEFAULT '',
	name        TEXT    NOT NULL,
	email       TEXT    NOT NULL,
	dept_id     TEXT    NOT NULL,
	active      INTEGER NOT NULL,
	origin      INTEGER NOT NULL,
	create_time INTEGER NOT NULL,
	modify_time INTEGER NOT NULL,
	creator_id  TEXT    NOT NULL,
	modifier_id TEXT    NOT NULL
) STRICT;

-- Serves the people of a department, page by page.
CREATE INDEX person_dept ON person (dept_id, username);

-- Serves the search by what a name begins with.
CREATE INDEX person_name ON person (name, username);

-- parent_id: '' for none.
CREATE TABLE dept (
	dept_id     TEXT    NOT NULL PRIMARY KEY,
	parent_id   TEXT    NOT NULL,
	name        TEXT    NOT NULL,
	create_time INTEGER NOT NULL,
	modify_time INTEGER NOT NULL,
	creator_id  TEXT    NOT NULL,
	modifier_id TEXT    NOT NULL
) STRICT;

-- Serves the departments below one.
CREATE INDEX dept_parent ON dept (parent_id);

CREATE TABLE role (
	role_id     TEXT    NOT NULL PRIMARY KEY,
	name        TEXT    NOT NULL,
	create_time INTEGER NOT NULL,
	modify_time INTEGER NOT NULL,
	creator_id  TEXT    NOT NULL,
	modifier_id TEXT    NOT NULL
) STRICT;

-- user_id need not be that of a person yet.
CREATE TABLE role_member (
	role_id TEXT NOT NULL REFERENCES role,
	user_id TEXT NOT NULL,
	PRIMARY KEY (role_id, user_id)
) STRICT, WITHOUT ROWID;

-- Serves the roles of a person.
CREATE INDEX role_member_user ON role_member (user_id, role_id);
