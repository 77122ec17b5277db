-- Text compares byte by byte (COLLATE "C"), whatever the database's collation is.
-- user_id: null until a feed tells of the person. issuer, subject: those of the first login, '' before.
-- origin: 1 feed, 2 login.
CREATE TABLE person (
	create_time timestamptz NOT NULL,
	modify_time timestamptz NOT NULL,
	origin      smallint    NOT NULL,
	active      boolean     NOT NULL,
	username    text        COLLATE "C" NOT NULL PRIMARY KEY,
	user_id     text        COLLATE "C" UNIQUE,
	issuer      text        COLLATE "C" NOT NULL DEFAULT '',
	subject     text        COLLATE "C" NOT NULL DEFAULT '',
	name        text        COLLATE "C" NOT NULL,
	email       text        COLLATE "C" NOT NULL,
	dept_id     text        COLLATE "C" NOT NULL,
	creator_id  text        COLLATE "C" NOT NULL,
	modifier_id text        COLLATE "C" NOT NULL
) WITH (
	-- Room for the next version of a row on its page: a feed tells of everybody again and again.
	fillfactor = 80,
	autovacuum_vacuum_scale_factor = 0.05
);

-- Serves the people of a department, page by page.
CREATE INDEX person_dept ON person (dept_id, username);

-- Serves the search by what a name begins with.
CREATE INDEX person_name ON person (name, username);

-- parent_id: '' for none.
CREATE TABLE dept (
	create_time timestamptz NOT NULL,
	modify_time timestamptz NOT NULL,
	dept_id     text        COLLATE "C" NOT NULL PRIMARY KEY,
	parent_id   text        COLLATE "C" NOT NULL,
	name        text        COLLATE "C" NOT NULL,
	creator_id  text        COLLATE "C" NOT NULL,
	modifier_id text        COLLATE "C" NOT NULL
);

-- Serves the departments below one.
CREATE INDEX dept_parent ON dept (parent_id);

CREATE TABLE role (
	create_time timestamptz NOT NULL,
	modify_time timestamptz NOT NULL,
	role_id     text        COLLATE "C" NOT NULL PRIMARY KEY,
	name        text        COLLATE "C" NOT NULL,
	creator_id  text        COLLATE "C" NOT NULL,
	modifier_id text        COLLATE "C" NOT NULL
);

-- user_id need not be that of a person yet.
CREATE TABLE role_member (
	role_id text COLLATE "C" NOT NULL REFERENCES role,
	user_id text COLLATE "C" NOT NULL,
	PRIMARY KEY (role_id, user_id)
);

-- Serves the roles of a person.
CREATE INDEX role_member_user ON role_member (user_id, role_id);
