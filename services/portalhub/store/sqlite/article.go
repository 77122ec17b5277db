package sqlite

import (
	"context"
	"database/sql"
	"time"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/portalhub/internal/content"
)

var (
	_ content.ArticleStore = (*Store)(nil)
	_ content.PolicyStore  = (*Store)(nil)
)

var articles = table[content.Article]{fullRows, content.NotFound}

// articleStatements are those of the articles.
type articleStatements struct {
	createArticle, updateArticle, publishArticle, unpublishArticle, pinArticle, replaceHTML *sql.Stmt
	getArticle, listOutdated, walkAll, walkChannel, walkFeed                                *sql.Stmt
	// getUnchanged is getArticle in a transaction that changes.
	getUnchanged *sql.Stmt
}

func (s *Store) prepareArticles(ctx context.Context, p *sqlitefile.Preparer) {
	s.articleStatements = articleStatements{
		createArticle:    p.Prepare(ctx, s.file.Write, createArticle),
		updateArticle:    p.Prepare(ctx, s.file.Write, updateArticle),
		publishArticle:   p.Prepare(ctx, s.file.Write, publishArticle),
		unpublishArticle: p.Prepare(ctx, s.file.Write, unpublishArticle),
		pinArticle:       p.Prepare(ctx, s.file.Write, pinArticle),
		replaceHTML:      p.Prepare(ctx, s.file.Write, replaceHTML),
		getArticle:       p.Prepare(ctx, s.file.Read, getArticle),
		getUnchanged:     p.Prepare(ctx, s.file.Write, getArticle),
		listOutdated:     p.Prepare(ctx, s.file.Read, listOutdated),
		walkAll:          p.Prepare(ctx, s.file.Read, walkAll),
		walkChannel:      p.Prepare(ctx, s.file.Read, walkChannel),
		walkFeed:         p.Prepare(ctx, s.file.Read, walkFeed),
	}
}

// articleRow is where the columns of an article go.
type articleRow struct {
	content.Article
	occurredAt, pinnedAt, publishedAt sql.NullInt64
	createTime, modifyTime            int64
}

func (r *articleRow) fields() []any {
	a := &r.Article
	return []any{
		&a.ID, &a.ChannelID, &a.Title, &a.Summary, &a.CoverImageURL, &r.occurredAt, &a.Version, &a.Status, &r.pinnedAt,
		&r.publishedAt, &a.Policy, &r.createTime, &r.modifyTime, &a.CreatorID, &a.ModifierID,
	}
}

// full are the columns with the bodies.
func (r *articleRow) full() []any { return append(r.fields(), &r.HTML, &r.JSON) }

func (r *articleRow) article() content.Article {
	a := r.Article
	a.OccurredAt, a.PinnedAt, a.PublishedAt = optionalInstant(r.occurredAt), optionalInstant(r.pinnedAt), optionalInstant(r.publishedAt)
	a.CreateTime, a.ModifyTime = instant(r.createTime), instant(r.modifyTime)
	return a
}

// textArgs are the binds of textBinds, with more behind them.
func textArgs(t *content.Text, more ...any) []any {
	return append([]any{t.ChannelID, t.Title, t.Summary, t.CoverImageURL, optionalMicros(t.OccurredAt), t.HTML, t.JSON}, more...)
}

// CreateArticle decides in one statement.
func (s *Store) CreateArticle(ctx context.Context, p content.CreateArticleParams) (created bool, err error) {
	return s.exec(ctx, "create article", s.createArticle, textArgs(&p.Text, p.ID, p.Policy, micros(p.Now), p.By)...)
}

// UpdateArticle decides in one statement, and reads the article where that changed nothing.
func (s *Store) UpdateArticle(ctx context.Context, p content.UpdateArticleParams) (a content.Article, updated bool, err error) {
	err = s.file.Change(ctx, "update article", func(ctx context.Context, tx *sql.Tx) error {
		changed, err := fullRows(ctx, sqlitefile.In(ctx, tx, s.updateArticle), textArgs(&p.Text, p.Policy, micros(p.Now), p.By, p.ID, p.Version)...)
		if err != nil {
			return err
		}
		if updated = len(changed) > 0; updated {
			a = changed[0]
			return nil
		}
		a, err = articles.one(ctx, sqlitefile.In(ctx, tx, s.getUnchanged), p.ID, p.ID)
		return err
	})
	return a, updated && err == nil, err
}

// PublishArticle decides in one statement.
func (s *Store) PublishArticle(ctx context.Context, p content.ChangeParams) (content.Article, error) {
	return articles.change(ctx, s, "publish article", p.ID, s.publishArticle, micros(p.Now), p.By, p.ID)
}

// UnpublishArticle decides in one statement.
func (s *Store) UnpublishArticle(ctx context.Context, p content.ChangeParams) (content.Article, error) {
	return articles.change(ctx, s, "unpublish article", p.ID, s.unpublishArticle, micros(p.Now), p.By, p.ID)
}

// PinArticle decides in one statement.
func (s *Store) PinArticle(ctx context.Context, p content.PinParams) (content.Article, error) {
	return articles.change(ctx, s, "pin article", p.ID, s.pinArticle, p.Pinned, micros(p.Now), p.By, p.ID)
}

// GetArticle reads one row by its key.
func (s *Store) GetArticle(ctx context.Context, p content.GetParams) (content.Article, error) {
	return articles.get(ctx, s, "get article", p.ID, s.getArticle)
}

// ListOutdated reads rows by the index of policies.
func (s *Store) ListOutdated(ctx context.Context, policy int64, limit int) ([]content.Article, error) {
	articles, err := fullRows(ctx, s.listOutdated, policy, limit)
	return articles, s.file.Failed(ctx, "list outdated articles", err)
}

// ReplaceHTML decides in one statement.
func (s *Store) ReplaceHTML(ctx context.Context, p content.ReplaceParams) error {
	_, err := s.exec(ctx, "replace html", s.replaceHTML, p.HTML, p.Policy, p.ID, p.Version)
	return err
}

// fullRows runs a statement that answers articles with their bodies.
func fullRows(ctx context.Context, stmt sqlitefile.Statement, args ...any) (articles []content.Article, err error) {
	var r articleRow
	err = sqlitefile.ForEachRow(ctx, stmt, args, r.full(), func() error {
		articles = append(articles, r.article())
		return nil
	})
	return articles, err
}

func optionalMicros(t *time.Time) sql.NullInt64 {
	if t == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: micros(*t), Valid: true}
}

func optionalInstant(micros sql.NullInt64) *time.Time {
	if !micros.Valid {
		return nil
	}
	t := instant(micros.Int64)
	return &t
}
