package sqlite

import "example.com/hub/pkg/store"

// articleColumns are those of an article in a list, in the order of articleRow.fields, and fullColumns those of one
// with its bodies.
var (
	articleColumns = store.Columns{
		"id", "channel_id", "title", "summary", "cover_image_url", "occurred_at", "version", "status", "pinned_at",
		"published_at", "policy", "create_time", "modify_time", "creator_id", "modifier_id",
	}
	fullColumns = append(articleColumns[:len(articleColumns):len(articleColumns)], "content_html", "content_json")
)

// textBinds are what an administrator says of an article, in the order of textArgs.
var textBinds = store.Columns{
	"channel_id", "title", "summary", "cover_image_url", "occurred_at", "content_html", "content_json",
}

// changedUnless counts a change and says whose it is, unless the article is so already.
func changedUnless(so string) string {
	return `version = version + CASE WHEN ` + so + ` THEN 0 ELSE 1 END,
    modify_time = CASE WHEN ` + so + ` THEN modify_time ELSE max(modify_time, @now) END,
    modifier_id = CASE WHEN ` + so + ` THEN modifier_id ELSE @by END`
}

var (
	// createArticle answers the one that is there already, which a repeat finds.
	createArticle = store.SQLite.Bind(`-- name: create_article
INSERT INTO article (`+textBinds.List()+`, id, policy, version, status, create_time, modify_time, creator_id, modifier_id)
SELECT `+textBinds.Binds()+`, @id, @policy, 1, 1, @now, @now, @by, @by
WHERE EXISTS (SELECT 1 FROM channel WHERE channel.id = @channel_id)
ON CONFLICT (id) DO UPDATE
SET id = excluded.id`, textBinds.Then("id", "policy", "now", "by")...)

	updateArticle = store.SQLite.Bind(`-- name: update_article
UPDATE article
SET channel_id = @channel_id, title = @title, summary = @summary, cover_image_url = @cover_image_url,
    occurred_at = COALESCE(@occurred_at, published_at), content_html = @content_html, content_json = @content_json,
    policy = @policy, version = version + 1, modify_time = max(modify_time, @now), modifier_id = @by
WHERE id = @id AND (@version IS NULL OR version = @version)
  AND EXISTS (SELECT 1 FROM channel WHERE channel.id = @channel_id)
RETURNING `+fullColumns.List(), textBinds.Then("policy", "now", "by", "id", "version")...)

	publishArticle = store.SQLite.Bind(`-- name: publish_article
UPDATE article
SET `+changedUnless("status = 2")+`,
    published_at = COALESCE(published_at, @now), occurred_at = COALESCE(occurred_at, @now), status = 2
WHERE id = @id
RETURNING `+fullColumns.List(), "now", "by", "id")

	// unpublishArticle leaves a draft as it is.
	unpublishArticle = store.SQLite.Bind(`-- name: unpublish_article
UPDATE article
SET `+changedUnless("status <> 2")+`,
    status = CASE WHEN status = 2 THEN 3 ELSE status END
WHERE id = @id
RETURNING `+fullColumns.List(), "now", "by", "id")

	pinArticle = store.SQLite.Bind(`-- name: pin_article
UPDATE article
SET `+changedUnless("pinned = @pinned")+`,
    pinned_at = CASE WHEN @pinned THEN COALESCE(pinned_at, @now) END
WHERE id = @id
RETURNING `+fullColumns.List(), "pinned", "now", "by", "id")

	getArticle = store.SQLite.Bind(`-- name: get_article
SELECT `+fullColumns.List()+`
FROM article
WHERE id = @id`, "id")

	listOutdated = store.SQLite.Bind(`-- name: list_outdated
SELECT `+fullColumns.List()+`
FROM article
WHERE policy < @policy
ORDER BY policy, id
LIMIT @limit`, "policy", "limit")

	replaceHTML = store.SQLite.Bind(`-- name: replace_html
UPDATE article
SET content_html = @content_html, policy = @policy
WHERE id = @id AND version = @version AND policy < @policy`, "content_html", "policy", "id", "version")
)

// walkArticles takes a page of each status from its index, and reads the rows of these pages.
func walkArticles(inChannel bool) string {
	binds, where := []string{"statuses", "at", "id", "size"}, ""
	if inChannel {
		binds, where = append(binds, "channel_id"), "channel_id = @channel_id AND "
	}
	return store.SQLite.Bind(`-- name: walk_articles
SELECT `+articleColumns.List()+`
FROM (SELECT value FROM json_each(@statuses)) AS s CROSS JOIN article ON article.rowid IN (
    SELECT rowid
    FROM article
    WHERE `+where+`status = s.value AND (create_time, id) < (@at, @id)
    ORDER BY create_time DESC, id DESC
    LIMIT @size
)
ORDER BY create_time DESC, id DESC
LIMIT @size`, binds...)
}

var walkAll, walkChannel = walkArticles(false), walkArticles(true)

// walkFeed takes a page of each channel from the index, and reads the rows of these pages.
var walkFeed = store.SQLite.Bind(`-- name: walk_feed
SELECT `+articleColumns.List()+`
FROM (SELECT value FROM json_each(@channel_ids)) AS c CROSS JOIN article ON article.rowid IN (
    SELECT rowid
    FROM article
    WHERE channel_id = c.value AND status = 2 AND (pinned, sort_time, id) < (@pinned, @at, @id)
    ORDER BY pinned DESC, sort_time DESC, id DESC
    LIMIT @size
)
ORDER BY pinned DESC, sort_time DESC, id DESC
LIMIT @size`, "channel_ids", "pinned", "at", "id", "size")
