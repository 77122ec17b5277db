-- former_assignee: whose the item was before its last upsert, null where that was the same user.
ALTER TABLE todo ADD COLUMN former_assignee TEXT;
