-- former_assignee: whose the item was before its last upsert, null where that was the same user. The
-- statement that moves an item so tells from whom.
ALTER TABLE todo ADD COLUMN former_assignee text COLLATE "C";
