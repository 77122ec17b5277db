package grpcapi

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/hub/pkg/pbtime"
	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	"example.com/hub/services/portalhub/internal/content"
)

// saidOfChannel is a request with what is said of a channel.
type saidOfChannel interface {
	GetName() string
	GetType() contentv1.ChannelType
	GetSort() int64
	GetVisibleFor() []string
}

func channelRequest(in saidOfChannel, enabled *bool) content.ChannelRequest {
	return content.ChannelRequest{
		ChannelSettings: content.ChannelSettings{
			Name: in.GetName(), Type: content.Type(in.GetType()), Sort: in.GetSort(), VisibleFor: in.GetVisibleFor(),
		},
		Enabled: enabled,
	}
}

// saidOfArticle is a request with what is said of an article.
type saidOfArticle interface {
	GetChannelId() string
	GetTitle() string
	GetSummary() string
	GetCoverImageUrl() string
	GetContentHtml() string
	GetContentJson() string
	GetOccurredAt() *timestamppb.Timestamp
}

func text(in saidOfArticle) content.Text {
	return content.Text{
		ChannelID: in.GetChannelId(), Title: in.GetTitle(), Summary: in.GetSummary(), CoverImageURL: in.GetCoverImageUrl(),
		HTML: in.GetContentHtml(), JSON: in.GetContentJson(), OccurredAt: pbtime.Instant(in.GetOccurredAt()),
	}
}

func channelMessage(c *content.Channel) *contentv1.Channel {
	return &contentv1.Channel{
		Id: c.ID, Name: c.Name, Type: contentv1.ChannelType(c.Type), Sort: c.Sort, VisibleFor: c.VisibleFor, Enabled: c.Enabled,
		CreateTime: timestamppb.New(c.CreateTime), ModifyTime: timestamppb.New(c.ModifyTime),
		CreatorId: c.CreatorID, ModifierId: c.ModifierID,
	}
}

func articleMessage(a *content.Article) *contentv1.Article {
	return &contentv1.Article{
		Id: a.ID, ChannelId: a.ChannelID, Title: a.Title, Summary: a.Summary, CoverImageUrl: a.CoverImageURL,
		ContentHtml: a.HTML, ContentJson: a.JSON, OccurredAt: pbtime.Optional(&timestamppb.Timestamp{}, a.OccurredAt), Version: a.Version,
		Status: contentv1.ArticleStatus(a.Status), Pinned: a.PinnedAt != nil, PinnedAt: pbtime.Optional(&timestamppb.Timestamp{}, a.PinnedAt),
		PublishedAt: pbtime.Optional(&timestamppb.Timestamp{}, a.PublishedAt),
		CreateTime:  timestamppb.New(a.CreateTime), ModifyTime: timestamppb.New(a.ModifyTime),
		CreatorId: a.CreatorID, ModifierId: a.ModifierID,
	}
}

func publishedMessage(a *content.Article, c *content.Channel) *contentv1.PublishedArticle {
	return &contentv1.PublishedArticle{
		Id: a.ID, ChannelId: c.ID, ChannelName: c.Name, Type: contentv1.ChannelType(c.Type), Title: a.Title,
		Summary: a.Summary, CoverImageUrl: a.CoverImageURL, OccurredAt: pbtime.Optional(&timestamppb.Timestamp{}, a.OccurredAt),
		PublishedAt: pbtime.Optional(&timestamppb.Timestamp{}, a.PublishedAt), Pinned: a.PinnedAt != nil, PinnedAt: pbtime.Optional(&timestamppb.Timestamp{}, a.PinnedAt),
		ContentHtml: a.HTML,
	}
}
