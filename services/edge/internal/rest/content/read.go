package content

import (
	"github.com/go-json-experiment/json/jsontext"

	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/shape"
)

func readFeed(r *rest.Request, m *contentv1.ListFeedRequest) error {
	m.PageToken, m.Size = r.Walk()
	m.Type = types.Parse(r.Text("type"), false)
	return nil
}

func readArticles(r *rest.Request, m *contentv1.ListArticlesRequest) error {
	m.PageToken, m.Size = r.Walk()
	if id := r.Text("channelId"); id != "" {
		m.ChannelId = &id
	}
	m.Status = statuses.Parse(r.Text("status"), false)
	return nil
}

// ChannelBody is that of POST /admin/cms/channels and of PUT /admin/cms/channels/{id}.
type ChannelBody struct {
	Name       string        `json:"name"`
	Type       string        `json:"type"`
	Sort       int64         `json:"sort"`
	Enabled    *bool         `json:"enabled"`
	VisibleFor rest.Subjects `json:"visibleFor"`
}

func readCreateChannel(r *rest.Request, m *contentv1.CreateChannelRequest) error {
	in, err := rest.Body[ChannelBody](r)
	if err != nil {
		return err
	}
	m.Name, m.Type, m.Sort, m.VisibleFor, m.Enabled = in.Name, types.ParseField(in.Type, false), in.Sort, in.VisibleFor, in.Enabled
	return nil
}

func readUpdateChannel(r *rest.Request, m *contentv1.UpdateChannelRequest) error {
	in, err := rest.Body[ChannelBody](r)
	if err != nil {
		return err
	}
	m.Name, m.Type, m.Sort, m.VisibleFor, m.Enabled = in.Name, types.ParseField(in.Type, false), in.Sort, in.VisibleFor, in.Enabled
	return nil
}

// ArticleBody is that of POST /admin/cms/articles, which has no version, and of PUT /admin/cms/articles/{id}.
type ArticleBody struct {
	ChannelID     string         `json:"channelId"`
	Title         string         `json:"title"`
	Summary       string         `json:"summary"`
	CoverImageURL string         `json:"coverImageUrl"`
	ContentHTML   string         `json:"contentHtml"`
	ContentJSON   jsontext.Value `json:"contentJson"`
	OccurredAt    string         `json:"occurredAt"`
	Version       *int64         `json:"version"`
}

func readCreateArticle(r *rest.Request, m *contentv1.CreateArticleRequest) error {
	in, err := rest.Body[ArticleBody](r)
	if err != nil {
		return err
	}
	r.Audit("channel_id", in.ChannelID)
	m.ChannelId, m.Title, m.Summary, m.CoverImageUrl = in.ChannelID, in.Title, in.Summary, in.CoverImageURL
	m.ContentHtml, m.ContentJson, m.OccurredAt = in.ContentHTML, string(in.ContentJSON), shape.ParseInstant(in.OccurredAt)
	return nil
}

func readUpdateArticle(r *rest.Request, m *contentv1.UpdateArticleRequest) error {
	in, err := rest.Body[ArticleBody](r)
	if err != nil {
		return err
	}
	r.Audit("channel_id", in.ChannelID)
	m.ChannelId, m.Title, m.Summary, m.CoverImageUrl = in.ChannelID, in.Title, in.Summary, in.CoverImageURL
	m.ContentHtml, m.ContentJson, m.OccurredAt = in.ContentHTML, string(in.ContentJSON), shape.ParseInstant(in.OccurredAt)
	m.Version = in.Version
	return nil
}
