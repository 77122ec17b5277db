package content

import (
	"context"
	"time"
)

// Store keeps channels and articles. Its methods are safe for concurrent use, and what they answered is durable.
// The calls that change a record are one atomic statement each.
//
// A store that is away or too slow answers with a fault of kind Unavailable; the call may then have had its
// effect, and may be repeated.
type Store interface {
	ChannelStore
	ArticleStore
	ListStore
	PolicyStore
}

// ChannelStore keeps the channels.
type ChannelStore interface {
	// CreateChannel adds a channel, unless there are p.Most others; created is false then.
	CreateChannel(ctx context.Context, p CreateChannelParams) (created bool, err error)
	// UpdateChannel replaces the settings of a channel, and Enabled where that is not nil. A miss is
	// ChannelNotFound.
	UpdateChannel(ctx context.Context, p UpdateChannelParams) (Channel, error)
	// EnableChannel sets Enabled; a channel that is so already stays as it is, with its ModifyTime and ModifierID.
	// A miss is ChannelNotFound.
	EnableChannel(ctx context.Context, p EnableChannelParams) (Channel, error)
	// ListChannels gives the channels by Sort, Name and id, texts byte by byte.
	ListChannels(ctx context.Context, p ListChannelsParams) ([]Channel, error)
}

// ArticleStore keeps the articles. Each change adds 1 to the Version, and sets ModifyTime and ModifierID; what is as
// asked already stays as it is in all of these. A miss is NotFound.
type ArticleStore interface {
	// CreateArticle adds a draft of version 1; created is false where there is no such channel.
	CreateArticle(ctx context.Context, p CreateArticleParams) (created bool, err error)
	// UpdateArticle replaces the text of an article, where its version is p.Version or that is nil. An article
	// that was published and gets no time of its occurrence has that of its first publication. Where nothing was
	// changed, updated is false and the article is the stored one: its version is another, or there is no such
	// channel.
	UpdateArticle(ctx context.Context, p UpdateArticleParams) (a Article, updated bool, err error)
	// PublishArticle makes an article Published, and for the first time sets PublishedAt, and OccurredAt where it
	// has none.
	PublishArticle(ctx context.Context, p ChangeParams) (Article, error)
	// UnpublishArticle makes a published article Offline. A draft stays as it is.
	UnpublishArticle(ctx context.Context, p ChangeParams) (Article, error)
	// PinArticle sets or clears PinnedAt.
	PinArticle(ctx context.Context, p PinParams) (Article, error)
	// GetArticle gives an article.
	GetArticle(ctx context.Context, p GetParams) (Article, error)
}

// ListStore lists articles, without HTML and JSON.
type ListStore interface {
	// WalkArticles gives the articles behind a place, by CreateTime and id, descending.
	WalkArticles(ctx context.Context, p WalkParams) ([]Article, error)
	// WalkFeed gives the published articles of some channels behind a place: the pinned ones by PinnedAt, then
	// the others by OccurredAt, each with the id second, descending. It reads at most p.Size entries of each
	// channel.
	WalkFeed(ctx context.Context, p FeedParams) ([]Article, error)
}

// PolicyStore has the articles that were sanitised by an older policy.
type PolicyStore interface {
	// ListOutdated gives up to limit articles whose Policy is lower, in full.
	ListOutdated(ctx context.Context, policy int64, limit int) ([]Article, error)
	// ReplaceHTML sets the HTML of an article and its Policy, unless its version is another or its policy is not
	// lower by now. It is no change of the article.
	ReplaceHTML(ctx context.Context, p ReplaceParams) error
}

// Stamp says who changes a record, and when.
type Stamp struct {
	// By is the name of a principal.
	By string
	// Now is in microseconds.
	Now time.Time
}

// CreateChannelParams are a new channel.
type CreateChannelParams struct {
	Stamp
	ID string
	ChannelSettings
	Enabled bool
	// Most is how many channels there may be.
	Most int
}

// UpdateChannelParams are what is now said of a channel.
type UpdateChannelParams struct {
	Stamp
	ID string
	ChannelSettings
	// Enabled is nil for as it is.
	Enabled *bool
}

// EnableChannelParams say whether a channel is enabled.
type EnableChannelParams struct {
	Stamp
	ID      string
	Enabled bool
}

// ListChannelsParams select channels.
type ListChannelsParams struct {
	// Enabled leaves out those that are not.
	Enabled bool
}

// CreateArticleParams are a new draft.
type CreateArticleParams struct {
	Stamp
	ID string
	Text
	Policy int64
}

// UpdateArticleParams are what is now said of an article.
type UpdateArticleParams struct {
	Stamp
	ID string
	Text
	Policy int64
	// Version is that which is changed; nil is any.
	Version *int64
}

// ChangeParams name an article that is changed.
type ChangeParams struct {
	Stamp
	ID string
}

// PinParams say whether an article is pinned.
type PinParams struct {
	ChangeParams
	Pinned bool
}

// GetParams name an article.
type GetParams struct{ ID string }

// WalkParams select articles. Zero filters are none.
type WalkParams struct {
	ChannelID string
	Status    Status
	// After is the place behind which the page begins; the zero Place is the start.
	After Place
	// Size is how many there are at most.
	Size int64
}

// FeedParams select published articles.
type FeedParams struct {
	ChannelIDs []string
	// After is the place behind which the page begins; the zero Place is the start.
	After Place
	// Size is how many there are at most.
	Size int64
}

// Place is that of an article in a list.
type Place struct {
	// Pinned is true before and among the pinned ones of a feed, and false in other lists.
	Pinned bool
	// At is what the list goes by: CreateTime, or PinnedAt or OccurredAt in a feed.
	At time.Time
	ID string
}

// ReplaceParams are the HTML of an article by another policy.
type ReplaceParams struct {
	ID      string
	Version int64
	HTML    string
	Policy  int64
}
