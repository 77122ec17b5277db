-- Text compares byte by byte (COLLATE "C"), whatever the database's collation is. Columns of fixed
-- width come first, those that may be null behind the others. There are no foreign keys: the rows of a
-- push are written in one transaction and never deleted, and a check per target would cost a lookup
-- each.

-- One row per key that a sender may push again.
CREATE TABLE message (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_message_id text   COLLATE "C" NOT NULL,
    source_app_id     text   COLLATE "C" NOT NULL,
    -- Push finds its key; mark read and the list filter know the message id alone, so it is first.
    UNIQUE (source_message_id, source_app_id)
);

-- One row per push that stored something: the content of the records that it created.
CREATE TABLE body (
    -- Public record ids are made of it; a sequence never gives a number twice.
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id  bigint      NOT NULL,
    occurred_at timestamptz NOT NULL,
    create_time timestamptz NOT NULL,
    creator     text        COLLATE "C" NOT NULL,
    title       text        COLLATE "C" NOT NULL,
    category    text        COLLATE "C" NOT NULL,
    -- A JSON array of {"label", "url"}. It is never searched, so it is kept as it was written.
    actions     text        NOT NULL,
    content     text        NOT NULL
);

-- One narrow row per target user. The primary key decides idempotency. A record changes once, when it
-- is read; until then its modify time and modifier are the create time and the creator of its body.
-- With more than eight columns, the nulls of an unread row would cost another 8 bytes.
CREATE TABLE inbox (
    message_id  bigint      NOT NULL,
    body_id     bigint      NOT NULL,
    occurred_at timestamptz NOT NULL,
    -- The place among the rows of the body.
    ordinal     integer     NOT NULL,
    -- 1 unread, 2 read.
    status      smallint    NOT NULL,
    read_at     timestamptz,
    username    text        COLLATE "C" NOT NULL,
    modifier    text        COLLATE "C",
    PRIMARY KEY (message_id, username)
) WITH (
    -- Rows that no vacuum has seen cost counts a visit to the table; most rows come by inserts.
    autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02
);

-- Serves the list of a user in its default order, with a status by one range and without by two, the
-- unread count, and the totals. A body gives a user at most one row, so body_id orders ties alone.
CREATE INDEX inbox_list ON inbox (username, status, occurred_at DESC, body_id DESC);
