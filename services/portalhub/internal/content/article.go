package content

import (
	"context"

	"example.com/hub/pkg/field"
)

// GetArticle gives an article in any status. Faults: Invalid; NotFound.
func (s *Service) GetArticle(ctx context.Context, id string) (Article, error) {
	if err := checkArticle(id); err != nil {
		return Article{}, err
	}
	a, err := s.store.GetArticle(ctx, GetParams{ID: id})
	return current(a), err
}

// CreateArticle adds a draft. Faults: Invalid, also where there is no such channel.
func (s *Service) CreateArticle(ctx context.Context, by string, text Text) (Article, error) {
	var c field.Checks
	if text.complete(&c); c.Err() != nil {
		return Article{}, c.Err()
	}
	p := CreateArticleParams{Stamp: s.stamp(by), ID: newID(), Text: text, Policy: Policy}
	created, err := s.store.CreateArticle(ctx, p)
	if err == nil && !created {
		err = errChannel
	}
	if err != nil {
		return Article{}, err
	}
	return Article{
		ID: p.ID, Text: p.Text, Version: 1, Status: Draft, Policy: p.Policy,
		CreateTime: p.Now, ModifyTime: p.Now, CreatorID: p.By, ModifierID: p.By,
	}, nil
}

// UpdateArticle replaces what is said of an article. A nil version is that of the last writer. Faults: Invalid, also
// where there is no such channel; NotFound; Conflict where the stored version is another.
func (s *Service) UpdateArticle(ctx context.Context, by, id string, text Text, version *int64) (Article, error) {
	var c field.Checks
	c.ID("article_id", id)
	text.complete(&c)
	if version != nil && *version < 1 {
		c.Fail("version", "must be an integer of at least 1")
	}
	if err := c.Err(); err != nil {
		return Article{}, err
	}
	a, updated, err := s.store.UpdateArticle(ctx, UpdateArticleParams{Stamp: s.stamp(by), ID: id, Text: text, Policy: Policy, Version: version})
	switch {
	case err != nil:
		return Article{}, err
	case updated:
		return a, nil
	case version != nil && *version != a.Version:
		return Article{}, stale(id, a.Version)
	}
	return Article{}, errChannel
}

// PublishArticle lets an article be seen. Faults: Invalid; NotFound.
func (s *Service) PublishArticle(ctx context.Context, by, id string) (Article, error) {
	if err := checkArticle(id); err != nil {
		return Article{}, err
	}
	a, err := s.store.PublishArticle(ctx, ChangeParams{s.stamp(by), id})
	return current(a), err
}

// UnpublishArticle takes an article offline. Faults: Invalid; NotFound; Conflict for a draft.
func (s *Service) UnpublishArticle(ctx context.Context, by, id string) (Article, error) {
	if err := checkArticle(id); err != nil {
		return Article{}, err
	}
	a, err := s.store.UnpublishArticle(ctx, ChangeParams{s.stamp(by), id})
	if err == nil && a.Status == Draft {
		err = neverPublished(id)
	}
	return current(a), err
}

// PinArticle puts an article in front of others, or back. Faults: Invalid; NotFound.
func (s *Service) PinArticle(ctx context.Context, by, id string, pinned bool) (Article, error) {
	if err := checkArticle(id); err != nil {
		return Article{}, err
	}
	a, err := s.store.PinArticle(ctx, PinParams{ChangeParams{s.stamp(by), id}, pinned})
	return current(a), err
}

func checkArticle(id string) error {
	var c field.Checks
	c.ID("article_id", id)
	return c.Err()
}
