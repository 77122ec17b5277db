-- sso: 1 none, 2 a ticket. visible_for: subjects as user:ID, dept:ID and role:ID; none is everybody.
CREATE TABLE app (
	create_time timestamptz NOT NULL,
	modify_time timestamptz NOT NULL,
	sort        bigint      NOT NULL,
	sso         smallint    NOT NULL,
	enabled     boolean     NOT NULL,
	id          text        COLLATE "C" NOT NULL PRIMARY KEY,
	name        text        COLLATE "C" NOT NULL,
	icon_url    text        COLLATE "C" NOT NULL,
	entry_url   text        COLLATE "C" NOT NULL,
	visible_for text[]      COLLATE "C" NOT NULL,
	creator_id  text        COLLATE "C" NOT NULL,
	modifier_id text        COLLATE "C" NOT NULL
);
