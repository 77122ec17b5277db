-- Times are microseconds since 1970 UTC. There are no foreign keys: the rows of a push are written in
-- one transaction and never deleted, and a check per target would cost a lookup each.

-- One row per key that a sender may push again.
CREATE TABLE message (
    id                INTEGER PRIMARY KEY,
    source_message_id TEXT NOT NULL,
    source_app_id     TEXT NOT NULL,
    -- Push finds its key; mark read and the list filter know the message id alone, so it is first.
    UNIQUE (source_message_id, source_app_id)
) STRICT;

-- One row per push that stored something: the content of the records that it created.
CREATE TABLE body (
    -- Public record ids are made of it, so a number is never given twice.
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id  INTEGER NOT NULL,
    occurred_at INTEGER NOT NULL,
    create_time INTEGER NOT NULL,
    creator     TEXT NOT NULL,
    title       TEXT NOT NULL,
    category    TEXT NOT NULL,
    -- A JSON array of {"label", "url"}.
    actions     TEXT NOT NULL,
    content     TEXT NOT NULL
) STRICT;

-- One narrow row per target user. The primary key decides idempotency.
CREATE TABLE inbox (
    message_id  INTEGER NOT NULL,
    body_id     INTEGER NOT NULL,
    -- The place among the rows of the body.
    ordinal     INTEGER NOT NULL,
    -- 1 unread, 2 read.
    status      INTEGER NOT NULL,
    occurred_at INTEGER NOT NULL,
    modify_time INTEGER NOT NULL,
    read_at     INTEGER,
    username    TEXT NOT NULL,
    modifier    TEXT NOT NULL,
    PRIMARY KEY (message_id, username)
) STRICT, WITHOUT ROWID;

-- Serves the list of a user in its default order, with a status by one range and without by two, the
-- unread count, and the totals. A body gives a user at most one row, so body_id orders ties alone.
CREATE INDEX inbox_list ON inbox (username, status, occurred_at DESC, body_id DESC);
