package content

import (
	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	"example.com/hub/services/edge/internal/shape"
)

var (
	types    = shape.Words[contentv1.ChannelType]{"", "news", "notice"}
	statuses = shape.Words[contentv1.ArticleStatus]{"", "draft", "published", "offline"}
)

// Channel is a contentv1.Channel as administrators see it.
var Channel = shape.New(append([]shape.Field{
	shape.Text("id", 1),
	shape.Text("name", 2),
	shape.Word("type", 3, types),
	shape.Number("sort", 4),
	shape.Bool("enabled", 6),
	shape.Texts("visibleFor", 5),
}, shape.Audit(7, 8, 9, 10)...)...)

// entryFields are what a list of administrators has of a contentv1.Article.
var entryFields = append([]shape.Field{
	shape.Text("id", 1),
	shape.Text("channelId", 2),
	shape.Text("title", 3),
	shape.Text("summary", 4),
	shape.Text("coverImageUrl", 5),
	shape.Instant("occurredAt", 8),
	shape.Number("version", 9),
	shape.Word("status", 10, statuses),
	shape.Bool("pinned", 11),
	shape.Instant("pinnedAt", 12),
	shape.Instant("publishedAt", 13),
}, shape.Audit(14, 15, 16, 17)...)

// ArticleEntry is a contentv1.Article in a list of administrators, and Article one alone.
var (
	ArticleEntry = shape.New(entryFields...)
	Article      = shape.New(append(entryFields[:len(entryFields):len(entryFields)],
		shape.Text("contentHtml", 6),
		shape.JSON("contentJson", 7),
	)...)
)

// feedFields are what a feed has of a contentv1.PublishedArticle.
var feedFields = []shape.Field{
	shape.Text("id", 1),
	shape.Text("channelId", 2),
	shape.Text("channelName", 3),
	shape.Word("type", 4, types),
	shape.Text("title", 5),
	shape.Text("summary", 6),
	shape.Text("coverImageUrl", 7),
	shape.Instant("occurredAt", 8),
	shape.Instant("publishedAt", 9),
	shape.Bool("pinned", 10),
	shape.Instant("pinnedAt", 11),
}

// FeedEntry is a contentv1.PublishedArticle in a feed, and FeedArticle one alone.
var (
	FeedEntry   = shape.New(feedFields...)
	FeedArticle = shape.New(append(feedFields[:len(feedFields):len(feedFields)], shape.Text("contentHtml", 12))...)
)
