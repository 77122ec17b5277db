-- What is announced to the streams: one row of constant size per push that stored records and per mark
-- read that switched some, written with them. Rows are read in the order of xid and seq, since a row
-- with a smaller seq may be committed after one with a larger. They are deleted after an hour.
CREATE TABLE event_log (
    xid               xid8        NOT NULL DEFAULT pg_current_xact_id(),
    seq               bigint      GENERATED ALWAYS AS IDENTITY,
    created           timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The number of events.
    events            integer     NOT NULL,
    -- 1 a push, whose events are the records of the body; 2 a mark read, whose events are alike.
    kind              smallint    NOT NULL,
    body_id           bigint,
    happened          timestamptz,
    username          text        COLLATE "C",
    source_message_id text        COLLATE "C",
    PRIMARY KEY (xid, seq)
) WITH (
    -- The dead rows are at the front, where the next ones to delete are looked for.
    autovacuum_vacuum_scale_factor = 0.02
);

-- The one row says who announces what was not heard, and up to where everything was.
CREATE TABLE event_sweep (
    single  boolean     PRIMARY KEY DEFAULT true CHECK (single),
    holder  text        COLLATE "C" NOT NULL,
    expires timestamptz NOT NULL,
    xid     xid8        NOT NULL,
    seq     bigint      NOT NULL
) WITH (
    -- It is written every second; spare room keeps the new versions in its page.
    fillfactor = 10
);

INSERT INTO event_sweep (holder, expires, xid, seq) VALUES ('', 'epoch', '0', 0);
