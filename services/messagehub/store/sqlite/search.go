package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/pkg/store"
	"example.com/hub/services/messagehub/internal/inbox"
)

// Search reads the keys of the page and the records of the keys in one snapshot.
func (s *Store) Search(ctx context.Context, p inbox.SearchParams) ([]inbox.Record, error) {
	tx, err := s.file.Read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, s.file.Failed(ctx, "search inbox", err)
	}
	// It wrote nothing; a rollback releases the snapshot as well as a commit.
	defer func() { _ = tx.Rollback() }()

	records, err := s.search(ctx, tx, p)
	if err != nil {
		return nil, s.file.Failed(ctx, "search inbox", err)
	}
	return records, nil
}

func (s *Store) search(ctx context.Context, tx *sql.Tx, p inbox.SearchParams) ([]inbox.Record, error) {
	query, args, err := searchQuery(p)
	if err != nil {
		return nil, err
	}
	keys, n, err := selectKeys(ctx, tx, query, args)
	if err != nil {
		return nil, err
	}
	return page(ctx, sqlitefile.In(ctx, tx, s.selectRecords), keys, n)
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

// searchQuery gives lists as JSON arrays.
func searchQuery(p inbox.SearchParams) (query string, args []any, err error) {
	k := searchKey{users: p.Usernames != nil, app: p.SourceAppID != "", behind: p.After != nil}
	lists := []any{p.Statuses}
	if k.users {
		lists = append(lists, p.Usernames)
	}
	for _, list := range lists {
		text, err := json.Marshal(list)
		if err != nil {
			return "", nil, err
		}
		args = append(args, string(text))
	}
	args = append(args, p.Size)
	if k.app {
		args = append(args, p.SourceAppID)
	}
	if k.behind {
		args = append(args, micros(p.After.At), p.After.Body, p.After.Ordinal)
	}
	return searches[k], args, nil
}

// binds are the names of the values that searchQuery gives.
func (k searchKey) binds() []string {
	binds := []string{"statuses"}
	if k.users {
		binds = append(binds, "users")
	}
	binds = append(binds, "size")
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
	newestFirst      = newestFirstOfOne + ", i.ordinal DESC"
	newestFirstOfOne = "\nORDER BY i.occurred_at DESC, i.body_id DESC"
)

// text selects the keys of a page in order, as page does.
func (k searchKey) text() string {
	from := k.all()
	if k.users && !k.app {
		from = k.ofUsers()
	}
	return store.SQLite.Bind("-- name: search_keys\nSELECT i.message_id, i.username, i.occurred_at, i.body_id"+
		from+newestFirst+"\nLIMIT @size", k.binds()...)
}

// all is whatever matches, also of users and an app: inbox_list has no apps.
func (k searchKey) all() string {
	from, where := "\nFROM inbox AS i", "\nWHERE i.status IN (SELECT value FROM json_each(@statuses))"
	if k.users {
		where += " AND i.username IN (SELECT value FROM json_each(@users))"
	}
	if k.app {
		from += "\nCROSS JOIN message AS m ON m.id = i.message_id"
		where += " AND m.source_app_id = @app"
	}
	return from + where + k.behindPlace()
}

// ofUsers takes the first record of each range of inbox_list that a user and a status have, and then a page of
// each of the foremost ranges alone: so many others begin in front of the rest.
func (k searchKey) ofUsers() string {
	return `
FROM (
    SELECT u.value AS username, s.value AS u_status
    FROM json_each(@users) AS u
    CROSS JOIN json_each(@statuses) AS s
    CROSS JOIN inbox AS i ON i.username = u.value AND i.message_id = (` + k.ofRange("u.value", "s.value") + `
LIMIT 1)` + newestFirst + `
LIMIT @size) AS u
CROSS JOIN inbox AS i ON i.username = u.username AND i.message_id IN (` + k.ofRange("u.username", "u.u_status") + `
LIMIT @size)`
}

func (k searchKey) ofRange(user, status string) string {
	where := "\nWHERE i.username = " + user + " AND i.status = " + status + k.behindPlace()
	if k.behind {
		// An index can begin here.
		where += " AND (i.occurred_at, i.body_id) <= (@at, @body)"
	}
	return "\nSELECT i.message_id\nFROM inbox AS i" + where + newestFirstOfOne
}

// behindPlace is the condition of a search that does not begin at the start.
func (k searchKey) behindPlace() string {
	if !k.behind {
		return ""
	}
	return " AND (i.occurred_at, i.body_id, i.ordinal) < (@at, @body, @ordinal)"
}
