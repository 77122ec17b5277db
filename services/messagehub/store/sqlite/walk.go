package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/pkg/store"
	"example.com/hub/services/messagehub/internal/inbox"
)

// Walk reads the keys of the page, the records of the keys and the watermark in one snapshot.
func (s *Store) Walk(ctx context.Context, p inbox.WalkParams) (inbox.WalkResult, error) {
	tx, err := s.file.Read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return inbox.WalkResult{}, s.file.Failed(ctx, "walk inbox", err)
	}
	// It wrote nothing; a rollback releases the snapshot as well as a commit.
	defer func() { _ = tx.Rollback() }()

	result, err := s.walk(ctx, tx, p)
	if err != nil {
		return inbox.WalkResult{}, s.file.Failed(ctx, "walk inbox", err)
	}
	return result, nil
}

func (s *Store) walk(ctx context.Context, tx *sql.Tx, p inbox.WalkParams) (result inbox.WalkResult, err error) {
	query, args := walkQuery(p)
	keys, n, err := selectKeys(ctx, tx, query, args)
	if err != nil {
		return inbox.WalkResult{}, err
	}
	if result.Records, err = page(ctx, sqlitefile.In(ctx, tx, s.selectRecords), keys, n); err != nil {
		return inbox.WalkResult{}, err
	}
	if p.Username != "" {
		err = sqlitefile.In(ctx, tx, s.selectWatermark).QueryRowContext(ctx).Scan(&result.Watermark.Body)
	}
	return result, err
}

// walkKey is what the text of a walk depends on.
type walkKey struct {
	listKey
	// behind is not the start of the list.
	behind bool
}

// walks are the texts of all walks.
var walks = func() map[walkKey]string {
	all := map[walkKey]string{}
	for _, field := range inbox.CursorSortFields() {
		for _, status := range []inbox.Status{0, inbox.Unread, inbox.Read} {
			for bits := range 32 {
				k := walkKey{
					listKey: listKey{
						user: bits&1 > 0, app: bits&2 > 0, message: bits&4 > 0,
						status: status, sort: inbox.Sort{Field: field, Descending: bits&8 > 0},
					},
					behind: bits&16 > 0,
				}
				all[k] = k.text()
			}
		}
	}
	return all
}()

func walkQuery(p inbox.WalkParams) (query string, args []any) {
	k := walkKey{listKey: keyOf(p.ListParams), behind: p.After != nil}
	args = append(filterArgs(p.ListParams), p.Page.Size)
	if k.behind {
		args = append(args, p.After.Body)
		if p.Sort.Field != inbox.SortID {
			args = append(args, micros(p.After.At))
		}
		if !k.user {
			args = append(args, p.After.Ordinal)
		}
	}
	return walks[k], args
}

// binds are the names of the values that walkQuery gives.
func (k walkKey) binds() []string {
	binds := append(k.filters(), "size")
	if k.behind {
		binds = append(binds, "body")
		if k.sort.Field != inbox.SortID {
			binds = append(binds, "at")
		}
		if !k.user {
			binds = append(binds, "ordinal")
		}
	}
	return binds
}

// text selects the keys of a page in order, and after them what they are ordered by, as page does. It
// reads no more than a page of each range where inbox_list has the records in order.
func (k walkKey) text() string {
	column := sortColumns[k.sort.Field]
	from := "SELECT i.message_id, i.username, " + column + " AS sort_key, i.body_id AS body" + k.tables(column)
	keys := from + k.part(k.status)
	if k.user && k.status == 0 && k.sort.Field == inbox.SortOccurredAt {
		keys = from + k.part(inbox.Unread) + "\nUNION ALL\n" + from + k.part(inbox.Read)
	}
	return store.SQLite.Bind("-- name: walk_keys\n"+keys+k.order()+"\nLIMIT @size", k.binds()...)
}

func (k walkKey) part(status inbox.Status) string {
	where := k.where(status)
	if k.behind {
		where += k.place(where)
	}
	return where
}

// place compares the sort key and the id at once, so that an index can begin behind the place. It follows
// the other conditions, if there are any.
func (k walkKey) place(where string) string {
	names, values := []string{"i.body_id"}, []string{"@body"}
	if k.sort.Field != inbox.SortID {
		names, values = []string{sortColumns[k.sort.Field], names[0]}, []string{"@at", values[0]}
	}
	if !k.user {
		names, values = append(names, "i.ordinal"), append(values, "@ordinal")
	}
	than, front := " > ", " AND "
	if k.sort.Descending {
		than = " < "
	}
	if where == "" {
		front = "\nWHERE "
	}
	return front + "(" + strings.Join(names, ", ") + ")" + than + "(" + strings.Join(values, ", ") + ")"
}
