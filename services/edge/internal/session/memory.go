package session

import (
	"context"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
)

// maxRows bounds the memory of a Memory to some 30 MB.
const maxRows = 100_000

// Memory is a Store in the memory of one edge. It knows no person: who logged in stays active, with the
// permissions of the login. When it is full, the session that was renewed longest ago is forgotten.
type Memory struct {
	mu   sync.Mutex
	rows *lru.Cache[string, Row]
}

var _ Store = (*Memory)(nil)

// NewMemory makes an empty store.
func NewMemory() *Memory { return newMemory(maxRows) }

func newMemory(size int) *Memory {
	rows, err := lru.New[string, Row](size)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &Memory{rows: rows}
}

// Begin implements Store.
func (m *Memory) Begin(_ context.Context, row Row) error {
	m.rows.Add(row.ID, row)
	return nil
}

// Renew implements Store.
func (m *Memory) Renew(_ context.Context, p RenewParams) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	row, ok := m.rows.Peek(p.ID)
	switch {
	case !ok:
		return nil, ErrUnknown
	case p.Now.Sub(row.Begun) >= p.Lifetime || p.Now.Sub(row.Renewed) >= p.Idle:
		return nil, ErrEnded
	case !p.Passive:
		row.Renewed = p.Now
		m.rows.Add(p.ID, row)
	}
	return row.Permissions, nil
}

// End implements Store.
func (m *Memory) End(_ context.Context, id string) error {
	m.Forget(id)
	return nil
}

// Forget drops the row of a session that was ended, here or at another edge.
func (m *Memory) Forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows.Remove(id)
}

// Len is the number of rows.
func (m *Memory) Len() int { return m.rows.Len() }
