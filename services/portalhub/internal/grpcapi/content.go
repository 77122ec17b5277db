package grpcapi

import (
	"context"

	"example.com/hub/pkg/auth"
	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	"example.com/hub/services/portalhub/internal/content"
)

// Content is a contentv1.ContentServiceServer. Every call is for a user, who is in its context, and the policy must
// have asked for the permission. Its errors are faults.
type Content struct {
	contentv1.UnimplementedContentServiceServer

	service *content.Service
}

// NewContent makes a Content.
func NewContent(s *content.Service) *Content { return &Content{service: s} }

// ListFeed answers what the user sees.
func (s *Content) ListFeed(ctx context.Context, in *contentv1.ListFeedRequest) (*contentv1.ListFeedResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	page, err := s.service.Feed(ctx, caller.User, content.FeedRequest{
		Type: content.Type(in.GetType()), Cursor: in.GetPageToken(), Size: in.Size,
	})
	if err != nil {
		return nil, err
	}
	out := &contentv1.ListFeedResponse{Size: page.Size, NextPageToken: page.Next}
	for i := range page.Articles {
		a := &page.Articles[i]
		out.Articles = append(out.Articles, publishedMessage(a, page.Channels[a.ChannelID]))
	}
	return out, nil
}

// ReadArticle answers an article that the user sees.
func (s *Content) ReadArticle(ctx context.Context, in *contentv1.ReadArticleRequest) (*contentv1.ReadArticleResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	a, channel, err := s.service.Read(ctx, caller.User, in.GetArticleId())
	if err != nil {
		return nil, err
	}
	return &contentv1.ReadArticleResponse{Article: publishedMessage(&a, channel)}, nil
}

// ListChannels answers all channels.
func (s *Content) ListChannels(ctx context.Context, _ *contentv1.ListChannelsRequest) (*contentv1.ListChannelsResponse, error) {
	channels, err := s.service.ListChannels(ctx)
	if err != nil {
		return nil, err
	}
	out := &contentv1.ListChannelsResponse{}
	for i := range channels {
		out.Channels = append(out.Channels, channelMessage(&channels[i]))
	}
	return out, nil
}

// CreateChannel adds a channel.
func (s *Content) CreateChannel(ctx context.Context, in *contentv1.CreateChannelRequest) (*contentv1.CreateChannelResponse, error) {
	c, err := changed(ctx, func(by string) (content.Channel, error) {
		return s.service.CreateChannel(ctx, by, channelRequest(in, in.Enabled))
	})
	if err != nil {
		return nil, err
	}
	return &contentv1.CreateChannelResponse{Channel: channelMessage(&c)}, nil
}

// UpdateChannel replaces what is said of a channel.
func (s *Content) UpdateChannel(ctx context.Context, in *contentv1.UpdateChannelRequest) (*contentv1.UpdateChannelResponse, error) {
	c, err := changed(ctx, func(by string) (content.Channel, error) {
		return s.service.UpdateChannel(ctx, by, in.GetChannelId(), channelRequest(in, in.Enabled))
	})
	if err != nil {
		return nil, err
	}
	return &contentv1.UpdateChannelResponse{Channel: channelMessage(&c)}, nil
}

// EnableChannel lets the articles of a channel be seen.
func (s *Content) EnableChannel(ctx context.Context, in *contentv1.EnableChannelRequest) (*contentv1.EnableChannelResponse, error) {
	c, err := changed(ctx, func(by string) (content.Channel, error) {
		return s.service.EnableChannel(ctx, by, in.GetChannelId(), true)
	})
	if err != nil {
		return nil, err
	}
	return &contentv1.EnableChannelResponse{Channel: channelMessage(&c)}, nil
}

// DisableChannel hides them.
func (s *Content) DisableChannel(ctx context.Context, in *contentv1.DisableChannelRequest) (*contentv1.DisableChannelResponse, error) {
	c, err := changed(ctx, func(by string) (content.Channel, error) {
		return s.service.EnableChannel(ctx, by, in.GetChannelId(), false)
	})
	if err != nil {
		return nil, err
	}
	return &contentv1.DisableChannelResponse{Channel: channelMessage(&c)}, nil
}

// changed makes a change in the name of the caller.
func changed[T any](ctx context.Context, change func(by string) (T, error)) (T, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		var none T
		return none, err
	}
	return change(caller.Name())
}
