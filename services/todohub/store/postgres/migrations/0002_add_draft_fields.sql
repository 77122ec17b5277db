-- payload: JSON as it was sent. source_version: 0 to 2^53-1, null where the source never said. All of
-- them have a constant default, so that no row is rewritten.
ALTER TABLE todo
	ADD COLUMN action_app_id    text   COLLATE "C" NOT NULL DEFAULT '',
	ADD COLUMN event_center_ref text   COLLATE "C" NOT NULL DEFAULT '',
	ADD COLUMN source_version   bigint,
	ADD COLUMN payload          text   COLLATE "C";
