package grpcapi

import (
	"context"

	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	"example.com/hub/services/portalhub/internal/content"
)

// ListArticles answers articles in any status.
func (s *Content) ListArticles(ctx context.Context, in *contentv1.ListArticlesRequest) (*contentv1.ListArticlesResponse, error) {
	page, err := s.service.ListArticles(ctx, content.ListRequest{
		ChannelID: in.ChannelId, Status: content.Status(in.GetStatus()), Cursor: in.GetPageToken(), Size: in.Size,
	})
	if err != nil {
		return nil, err
	}
	out := &contentv1.ListArticlesResponse{Size: page.Size, NextPageToken: page.Next}
	for i := range page.Articles {
		out.Articles = append(out.Articles, articleMessage(&page.Articles[i]))
	}
	return out, nil
}

// GetArticle answers an article in any status.
func (s *Content) GetArticle(ctx context.Context, in *contentv1.GetArticleRequest) (*contentv1.GetArticleResponse, error) {
	a, err := s.service.GetArticle(ctx, in.GetArticleId())
	if err != nil {
		return nil, err
	}
	return &contentv1.GetArticleResponse{Article: articleMessage(&a)}, nil
}

// CreateArticle adds a draft.
func (s *Content) CreateArticle(ctx context.Context, in *contentv1.CreateArticleRequest) (*contentv1.CreateArticleResponse, error) {
	a, err := changed(ctx, func(by string) (content.Article, error) {
		return s.service.CreateArticle(ctx, by, text(in))
	})
	if err != nil {
		return nil, err
	}
	return &contentv1.CreateArticleResponse{Article: articleMessage(&a)}, nil
}

// UpdateArticle replaces what is said of an article.
func (s *Content) UpdateArticle(ctx context.Context, in *contentv1.UpdateArticleRequest) (*contentv1.UpdateArticleResponse, error) {
	a, err := changed(ctx, func(by string) (content.Article, error) {
		return s.service.UpdateArticle(ctx, by, in.GetArticleId(), text(in), in.Version)
	})
	if err != nil {
		return nil, err
	}
	return &contentv1.UpdateArticleResponse{Article: articleMessage(&a)}, nil
}

// PublishArticle lets an article be seen.
func (s *Content) PublishArticle(ctx context.Context, in *contentv1.PublishArticleRequest) (*contentv1.PublishArticleResponse, error) {
	a, err := changed(ctx, func(by string) (content.Article, error) {
		return s.service.PublishArticle(ctx, by, in.GetArticleId())
	})
	if err != nil {
		return nil, err
	}
	return &contentv1.PublishArticleResponse{Article: articleMessage(&a)}, nil
}

// UnpublishArticle takes an article offline.
func (s *Content) UnpublishArticle(ctx context.Context, in *contentv1.UnpublishArticleRequest) (*contentv1.UnpublishArticleResponse, error) {
	a, err := changed(ctx, func(by string) (content.Article, error) {
		return s.service.UnpublishArticle(ctx, by, in.GetArticleId())
	})
	if err != nil {
		return nil, err
	}
	return &contentv1.UnpublishArticleResponse{Article: articleMessage(&a)}, nil
}

// PinArticle puts an article in front of others.
func (s *Content) PinArticle(ctx context.Context, in *contentv1.PinArticleRequest) (*contentv1.PinArticleResponse, error) {
	a, err := s.pin(ctx, in.GetArticleId(), true)
	return &contentv1.PinArticleResponse{Article: a}, err
}

// UnpinArticle puts it back into its place.
func (s *Content) UnpinArticle(ctx context.Context, in *contentv1.UnpinArticleRequest) (*contentv1.UnpinArticleResponse, error) {
	a, err := s.pin(ctx, in.GetArticleId(), false)
	return &contentv1.UnpinArticleResponse{Article: a}, err
}

func (s *Content) pin(ctx context.Context, id string, pinned bool) (*contentv1.Article, error) {
	a, err := changed(ctx, func(by string) (content.Article, error) {
		return s.service.PinArticle(ctx, by, id, pinned)
	})
	if err != nil {
		return nil, err
	}
	return articleMessage(&a), nil
}
