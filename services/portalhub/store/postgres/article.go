package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/portalhub/internal/content"
)

var (
	_ content.ArticleStore = (*Store)(nil)
	_ content.PolicyStore  = (*Store)(nil)
)

// entries have no bodies, and articles have them.
var (
	entries  = table[content.Article]{scan: scanEntry}
	articles = table[content.Article]{scanFull, content.NotFound}
)

// articleRow is where the columns of an article go.
type articleRow struct {
	content.Article
	status int16
}

func (r *articleRow) fields() []any {
	a := &r.Article
	return []any{
		&a.ID, &a.ChannelID, &a.Title, &a.Summary, &a.CoverImageURL, &a.OccurredAt, &a.Version, &r.status, &a.PinnedAt,
		&a.PublishedAt, &a.Policy, &a.CreateTime, &a.ModifyTime, &a.CreatorID, &a.ModifierID,
	}
}

func (r *articleRow) article() content.Article {
	r.Status = content.Status(r.status)
	return r.Article
}

// scanEntry reads articleColumns, and scanFull fullColumns.
func scanEntry(rows pgx.CollectableRow) (content.Article, error) {
	var r articleRow
	err := rows.Scan(r.fields()...)
	return r.article(), err
}

func scanFull(rows pgx.CollectableRow) (content.Article, error) {
	var r articleRow
	err := rows.Scan(append(r.fields(), &r.HTML, &r.JSON)...)
	return r.article(), err
}

// textArgs are the binds of textBinds, with more behind them.
func textArgs(t *content.Text, more ...any) []any {
	return append([]any{t.ChannelID, t.Title, t.Summary, t.CoverImageURL, t.OccurredAt, t.HTML, t.JSON}, more...)
}

// CreateArticle decides in one statement.
func (s *Store) CreateArticle(ctx context.Context, p content.CreateArticleParams) (created bool, err error) {
	created, err = s.exec(ctx, createArticle, textArgs(&p.Text, p.ID, p.Policy, p.Now, p.By)...)
	return created, pg.Failed("create article", err)
}

// UpdateArticle decides in one statement. A repeat after a lost connection may find what the lost run changed.
func (s *Store) UpdateArticle(ctx context.Context, p content.UpdateArticleParams) (a content.Article, updated bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	changed, repeated, err := articles.all(ctx, s, updateArticle, textArgs(&p.Text, p.Policy, p.Now, p.By, p.ID, p.Version)...)
	switch {
	case err != nil:
		return content.Article{}, false, pg.Failed("update article", err)
	case len(changed) > 0:
		return changed[0], true, nil
	}
	a, err = s.GetArticle(ctx, content.GetParams{ID: p.ID})
	own := p.Version != nil && a.Version == *p.Version+1 && a.ModifierID == p.By && a.ModifyTime.Equal(p.Now)
	return a, err == nil && repeated && own, err
}

// PublishArticle decides in one statement. A repeat finds it so.
func (s *Store) PublishArticle(ctx context.Context, p content.ChangeParams) (content.Article, error) {
	return articles.one(ctx, s, "publish article", p.ID, publishArticle, p.Now, p.By, p.ID)
}

// UnpublishArticle decides in one statement. A repeat finds it so.
func (s *Store) UnpublishArticle(ctx context.Context, p content.ChangeParams) (content.Article, error) {
	return articles.one(ctx, s, "unpublish article", p.ID, unpublishArticle, p.Now, p.By, p.ID)
}

// PinArticle decides in one statement. A repeat finds it so.
func (s *Store) PinArticle(ctx context.Context, p content.PinParams) (content.Article, error) {
	return articles.one(ctx, s, "pin article", p.ID, pinArticle, p.Pinned, p.Now, p.By, p.ID)
}

// GetArticle reads one row by its key.
func (s *Store) GetArticle(ctx context.Context, p content.GetParams) (content.Article, error) {
	return articles.one(ctx, s, "get article", p.ID, getArticle, p.ID)
}

// ListOutdated reads rows by the index of policies.
func (s *Store) ListOutdated(ctx context.Context, policy int64, limit int) ([]content.Article, error) {
	return articles.list(ctx, s, "list outdated articles", listOutdated, policy, limit)
}

// ReplaceHTML decides in one statement. A repeat finds it so.
func (s *Store) ReplaceHTML(ctx context.Context, p content.ReplaceParams) error {
	_, err := s.exec(ctx, replaceHTML, p.HTML, p.Policy, p.ID, p.Version)
	return pg.Failed("replace html", err)
}
