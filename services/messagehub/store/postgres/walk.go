package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/messagehub/internal/inbox"
)

// Walk reads the records behind a place in one statement, whose time is the context's as in List. The
// watermark of a user is read right before: whatever is below it, the page can see.
func (s *Store) Walk(ctx context.Context, p inbox.WalkParams) (inbox.WalkResult, error) {
	query, args := walkQuery(p)
	call := s.CallHeavy
	if keyOf(p.ListParams).flat() {
		call = s.Call
	}
	var result inbox.WalkResult
	err := call(ctx, func(conn pg.Session, _ bool) error {
		batch := &pgx.Batch{}
		if p.Username != "" {
			if err := conn.Keep(ctx, selectWatermark, query); err != nil {
				return err
			}
			batch.Queue(selectWatermark).Query(func(rows pgx.Rows) error {
				w := &result.Watermark
				return scanOne(rows, &w.Body, &w.End, &w.Running)
			})
		}
		batch.Queue(query, args...).Query(func(rows pgx.Rows) error {
			var r row
			result.Records = make([]inbox.Record, 0, p.Page.Size)
			_, err := pgx.ForEachRow(rows, r.fields(), func() error {
				record, err := r.record(rows.RawValues())
				result.Records = append(result.Records, record)
				return err
			})
			return err
		})
		return conn.SendBatch(ctx, batch).Close()
	})
	return result, pg.Failed("walk inbox", err)
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
	args = append(make([]any, 0, 7), p.Page.Size)
	for _, value := range []string{p.SourceMessageID, p.SourceAppID, p.Username} {
		if value != "" {
			args = append(args, value)
		}
	}
	if k.behind {
		args = append(args, p.After.Body)
		if p.Sort.Field != inbox.SortID {
			args = append(args, p.After.At)
		}
		if !k.user {
			args = append(args, p.After.Ordinal)
		}
	}
	return walks[k], args
}

// binds are the names of the values that walkQuery gives.
func (k walkKey) binds() []string {
	binds := append([]string{"size"}, k.filters()...)
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

// text takes the records of the page from the scan that finds them. It reads no more than a page of each
// range where inbox_list has the records in order.
func (k walkKey) text() string {
	const fields = "SELECT i.message_id, i.body_id, i.ordinal, i.status, i.occurred_at, i.read_at, i.username, i.modifier, "
	column := sortColumns[k.sort.Field]
	from := fields + "i.ordinal AS place, i.body_id AS body, " + column + " AS sort_key" + k.tables(column)
	ranges := k.part(from, k.status)
	if k.flat() && k.status == 0 {
		ranges = "(" + k.part(from, inbox.Unread) + ")\nUNION ALL\n(" + k.part(from, inbox.Read) + ")"
	}
	return store.PostgreSQL.Bind("-- name: walk_records\nSELECT "+columns.List()+"\nFROM ("+fields+`i.place, i.body, i.sort_key
FROM (`+ranges+`) AS i`+k.order()+`
LIMIT @size) AS i
    JOIN body AS b ON b.id = i.body_id
    JOIN message AS m ON m.id = i.message_id`+k.order(), k.binds()...)
}

// part is the page of one range. Its limit is hidden from the planner for the reason that rows has.
func (k walkKey) part(from string, status inbox.Status) string {
	where := k.where(status)
	if k.behind {
		where += k.place(where)
	}
	return from + where + k.order() + "\nLIMIT (SELECT @size::bigint)"
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
