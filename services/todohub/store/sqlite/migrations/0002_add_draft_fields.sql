-- payload: JSON as it was sent. source_version: 0 to 2^53-1, null where the source never said.
ALTER TABLE todo ADD COLUMN action_app_id TEXT NOT NULL DEFAULT '';
ALTER TABLE todo ADD COLUMN event_center_ref TEXT NOT NULL DEFAULT '';
ALTER TABLE todo ADD COLUMN source_version INTEGER;
ALTER TABLE todo ADD COLUMN payload TEXT;
