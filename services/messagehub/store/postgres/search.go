package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/messagehub/internal/inbox"
)

// Search reads the records in one statement, whose time is the context's as in List. It has the place of a
// heavy call, since many users take their time, and it sorts whatever matches where no user is named.
func (s *Store) Search(ctx context.Context, p inbox.SearchParams) ([]inbox.Record, error) {
	query, args := searchQuery(p)
	var records []inbox.Record
	err := s.CallHeavy(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		var r row
		records = make([]inbox.Record, 0, p.Size)
		_, err = pgx.ForEachRow(rows, r.fields(), func() error {
			record, err := r.record(rows.RawValues())
			records = append(records, record)
			return err
		})
		return err
	})
	return records, pg.Failed("search inbox", err)
}

// searchKey is what the text of a search depends on.
type searchKey struct{ users, app, behind bool }

// searches are the texts of all searches.
var searches = func() map[searchKey]string {
	all := map[searchKey]string{}
	for bits := range 8 {
		k := searchKey{users: bits&1 > 0, app: bits&2 > 0, behind: bits&4 > 0}
		all[k] = k.text()
	}
	return all
}()

func searchQuery(p inbox.SearchParams) (query string, args []any) {
	k := searchKey{users: p.Usernames != nil, app: p.SourceAppID != "", behind: p.After != nil}
	statuses := make([]int16, len(p.Statuses))
	for i, status := range p.Statuses {
		statuses[i] = int16(status) //nolint:gosec // there are two
	}
	args = append(make([]any, 0, 7), statuses, p.Size)
	if k.users {
		args = append(args, p.Usernames)
	}
	if k.app {
		args = append(args, p.SourceAppID)
	}
	if k.behind {
		args = append(args, p.After.At, p.After.Body, p.After.Ordinal)
	}
	return searches[k], args
}

// binds are the names of the values that searchQuery gives.
func (k searchKey) binds() []string {
	binds := []string{"statuses", "size"}
	if k.users {
		binds = append(binds, "users")
	}
	if k.app {
		binds = append(binds, "app")
	}
	if k.behind {
		binds = append(binds, "at", "body", "ordinal")
	}
	return binds
}

const (
	// newestFirst is inbox.DefaultSort of the records of many users. Of one user a body has one at most, so that
	// the ordinal, which inbox_list has not, orders nothing.
	newestFirst      = "\nORDER BY i.occurred_at DESC, i.body_id DESC, i.ordinal DESC"
	newestFirstOfOne = "\nORDER BY i.occurred_at DESC, i.body_id DESC"

	searched = "\nSELECT i.message_id, i.body_id, i.ordinal, i.status, i.occurred_at, i.read_at, i.username, i.modifier"
)

// text finds the records of the page, and then only their contents.
func (k searchKey) text() string {
	page := searched + k.all()
	if k.users && !k.app {
		page = searched + k.ofUsers()
	}
	return store.PostgreSQL.Bind("-- name: search_inbox\nSELECT "+columns.List()+"\nFROM ("+page+newestFirst+`
LIMIT @size) AS i
    JOIN body AS b ON b.id = i.body_id
    JOIN message AS m ON m.id = i.message_id`+newestFirst, k.binds()...)
}

// all is whatever matches. That serves users and an app better, too: inbox_list has no apps, so that a range may
// have to be read to its end.
func (k searchKey) all() string {
	from, where := "\nFROM inbox AS i", "\nWHERE i.status = ANY (@statuses::smallint[])"
	if k.users {
		where += " AND i.username = ANY (@users::text[])"
	}
	if k.app {
		from += "\nJOIN message AS m ON m.id = i.message_id"
		where += " AND m.source_app_id = @app"
	}
	return from + where + k.behindPlace()
}

// ofUsers takes the first record of each range of inbox_list that a user and a status have, and then a page of
// each of the foremost ranges alone: so many others begin in front of the rest. The limit of these is hidden
// from the planner for the reason that rows has.
func (k searchKey) ofUsers() string {
	return `
FROM (
    SELECT u.username, u_status
    FROM unnest(@users::text[]) AS u (username), unnest(@statuses::smallint[]) AS s (u_status), LATERAL (` + k.ofRange() + `
LIMIT 1) AS i` + newestFirst + `
LIMIT @size) AS u, LATERAL (` + k.ofRange() + `
LIMIT (SELECT @size::bigint)) AS i`
}

func (k searchKey) ofRange() string {
	where := "\nWHERE i.username = u.username AND i.status = u_status" + k.behindPlace()
	if k.behind {
		// An index can begin here.
		where += " AND (i.occurred_at, i.body_id) <= (@at, @body)"
	}
	return searched + "\nFROM inbox AS i" + where + newestFirstOfOne
}

// behindPlace is the condition of a search that does not begin at the start.
func (k searchKey) behindPlace() string {
	if !k.behind {
		return ""
	}
	return " AND (i.occurred_at, i.body_id, i.ordinal) < (@at, @body, @ordinal)"
}
