-- type: 1 news, 2 notice. visible_for: subjects as user:ID, dept:ID and role:ID in a JSON array; none is everybody.
CREATE TABLE channel (
	id          TEXT    NOT NULL PRIMARY KEY,
	name        TEXT    NOT NULL,
	type        INTEGER NOT NULL,
	sort        INTEGER NOT NULL,
	enabled     INTEGER NOT NULL,
	visible_for TEXT    NOT NULL,
	create_time INTEGER NOT NULL,
	modify_time INTEGER NOT NULL,
	creator_id  TEXT    NOT NULL,
	modifier_id TEXT    NOT NULL
) STRICT;

-- status: 1 draft, 2 published, 3 offline. occurred_at: null in drafts that name no time. policy: the number of
-- that by which content_html was sanitised. content_json: empty for none. pinned, sort_time: the place in a feed. The
-- bodies come last, so that lists read past none of them.
CREATE TABLE article (
	id              TEXT    NOT NULL PRIMARY KEY,
	channel_id      TEXT    NOT NULL REFERENCES channel,
	title           TEXT    NOT NULL,
	summary         TEXT    NOT NULL,
	cover_image_url TEXT    NOT NULL,
	occurred_at     INTEGER,
	version         INTEGER NOT NULL,
	status          INTEGER NOT NULL,
	pinned_at       INTEGER,
	published_at    INTEGER,
	policy          INTEGER NOT NULL,
	create_time     INTEGER NOT NULL,
	modify_time     INTEGER NOT NULL,
	creator_id      TEXT    NOT NULL,
	modifier_id     TEXT    NOT NULL,
	pinned          INTEGER NOT NULL GENERATED ALWAYS AS (pinned_at IS NOT NULL) STORED,
	sort_time       INTEGER NOT NULL GENERATED ALWAYS AS (COALESCE(pinned_at, occurred_at, create_time)) STORED,
	content_html    TEXT    NOT NULL,
	content_json    TEXT    NOT NULL
) STRICT;

-- Serves feeds: a page of each channel.
CREATE INDEX article_feed ON article (channel_id, status, pinned DESC, sort_time DESC, id DESC);

-- Serve the lists of administrators, of all channels and of one.
CREATE INDEX article_created ON article (status, create_time DESC, id DESC);
CREATE INDEX article_channel ON article (channel_id, status, create_time DESC, id DESC);

-- Serves the search for articles that an older policy sanitised.
CREATE INDEX article_policy ON article (policy, id);
