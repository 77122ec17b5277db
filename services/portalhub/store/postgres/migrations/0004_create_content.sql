-- type: 1 news, 2 notice. visible_for: subjects as user:ID, dept:ID and role:ID; none is everybody.
CREATE TABLE channel (
	create_time timestamptz NOT NULL,
	modify_time timestamptz NOT NULL,
	sort        bigint      NOT NULL,
	type        smallint    NOT NULL,
	enabled     boolean     NOT NULL,
	id          text        COLLATE "C" NOT NULL PRIMARY KEY,
	name        text        COLLATE "C" NOT NULL,
	visible_for text[]      COLLATE "C" NOT NULL,
	creator_id  text        COLLATE "C" NOT NULL,
	modifier_id text        COLLATE "C" NOT NULL
);

-- status: 1 draft, 2 published, 3 offline. occurred_at: null in drafts that name no time. policy: the number of
-- that by which content_html was sanitised. content_json: empty for none. pinned, sort_time: the place in a feed.
CREATE TABLE article (
	create_time     timestamptz NOT NULL,
	modify_time     timestamptz NOT NULL,
	occurred_at     timestamptz,
	published_at    timestamptz,
	pinned_at       timestamptz,
	sort_time       timestamptz NOT NULL GENERATED ALWAYS AS (COALESCE(pinned_at, occurred_at, create_time)) STORED,
	version         bigint      NOT NULL,
	policy          bigint      NOT NULL,
	status          smallint    NOT NULL,
	pinned          boolean     NOT NULL GENERATED ALWAYS AS (pinned_at IS NOT NULL) STORED,
	id              text        COLLATE "C" NOT NULL PRIMARY KEY,
	channel_id      text        COLLATE "C" NOT NULL REFERENCES channel,
	title           text        COLLATE "C" NOT NULL,
	summary         text        COLLATE "C" NOT NULL,
	cover_image_url text        COLLATE "C" NOT NULL,
	creator_id      text        COLLATE "C" NOT NULL,
	modifier_id     text        COLLATE "C" NOT NULL,
	content_html    text        COLLATE "C" NOT NULL,
	content_json    text        COLLATE "C" NOT NULL
);

-- Serves feeds: a page of each channel.
CREATE INDEX article_feed ON article (channel_id, status, pinned DESC, sort_time DESC, id DESC);

-- Serve the lists of administrators, of all channels and of one.
CREATE INDEX article_created ON article (status, create_time DESC, id DESC);
CREATE INDEX article_channel ON article (channel_id, status, create_time DESC, id DESC);

-- Serves the search for articles that an older policy sanitised.
CREATE INDEX article_policy ON article (policy, id);
