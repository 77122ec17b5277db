package sqlitefile

import (
	"context"
	"database/sql"
	"sync"
)

// Variants are statements whose text depends on a key. Each is prepared when it is first used, and kept: some
// 150 of them took 6 MiB of a process that nobody asked for any.
type Variants[K comparable] struct {
	db   *sql.DB
	text func(K) string

	mu   sync.RWMutex
	made map[K]*sql.Stmt
}

// NewVariants are statements on DB.Write or DB.Read, which closes them.
func NewVariants[K comparable](db *sql.DB, text func(K) string) *Variants[K] {
	return &Variants[K]{db: db, text: text, made: map[K]*sql.Stmt{}}
}

// Of is the statement of a key. To prepare it takes a connection, so that whoever asks must hold none.
func (v *Variants[K]) Of(ctx context.Context, k K) (*sql.Stmt, error) {
	v.mu.RLock()
	stmt := v.made[k]
	v.mu.RUnlock()
	if stmt != nil {
		return stmt, nil
	}
	stmt, err := v.db.PrepareContext(ctx, v.text(k))
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if first := v.made[k]; first != nil {
		// Another call has prepared it meanwhile.
		defer func() { _ = stmt.Close() }()
		return first, nil
	}
	v.made[k] = stmt
	return stmt, nil
}
