package rest

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"example.com/hub/test/bench/internal/baseline/process"
)

const (
	listFile = `SELECT ` + columns + ` FROM todo WHERE assignee_username = $1 AND status = $2 AND type = $3
	ORDER BY modify_time DESC, id DESC LIMIT $4 OFFSET $5`
	countFile = `SELECT count(*) FROM todo WHERE assignee_username = $1 AND status = $2 AND type = $3`
)

// SQLite is a Store on a file that has the schema of todohub. It only lists.
type SQLite struct {
	list, count *sql.Stmt
}

// ServeSQLite serves the todos of a file until standard input ends.
func ServeSQLite(ctx context.Context, path string) error {
	dsn := url.URL{Scheme: "file", Path: path, RawQuery: "_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(5000)"}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	// As many readers as Hub has.
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(4)
	s := &SQLite{}
	if s.list, err = db.PrepareContext(ctx, listFile); err != nil {
		return err
	}
	if s.count, err = db.PrepareContext(ctx, countFile); err != nil {
		return err
	}
	return process.Serve(ctx, Handler(s))
}

// List implements Store.
func (s *SQLite) List(ctx context.Context, q Query) ([]Item, int64, error) {
	rows, err := s.list.QueryContext(ctx, q.Assignee, q.Status, q.Type, q.Limit, q.Offset)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = rows.Close() }()
	var items []Item
	for rows.Next() {
		item, err := scanFile(rows)
		if err != nil {
			return nil, 0, err
		}
		items = append(items, item)
	}
	if err := rows.Err(); err != nil {
		return nil, 0, err
	}
	var total int64
	err = s.count.QueryRowContext(ctx, q.Assignee, q.Status, q.Type).Scan(&total)
	return items, total, err
}

// Upsert implements Store.
func (s *SQLite) Upsert(context.Context, Request) (Item, error) {
	return Item{}, errors.New("this baseline only lists")
}

// scanFile reads the columns with the times of SQLite, which are microseconds.
func scanFile(rows *sql.Rows) (Item, error) {
	var i Item
	var kind, status int
	var created, modified int64
	var due, cleared sql.NullInt64
	err := rows.Scan(&i.ID, &kind, &status, &due, &cleared, &created, &modified,
		&i.SourceSystem, &i.SourceBizID, &i.AssigneeUsername, &i.InitiatorUsername, &i.Title, &i.Summary,
		&i.Category, &i.ActionURL, &i.Result, &i.ClearedBy, &i.Reason, &i.CreatorID, &i.ModifierID)
	i.Type, i.Status = types[kind], statuses[status]
	i.DueAt, i.ClearedAt = instant(due), instant(cleared)
	i.CreateTime, i.ModifyTime = auditTime(time.UnixMicro(created)), auditTime(time.UnixMicro(modified))
	i.Creator, i.Modifier = i.CreatorID, i.ModifierID
	return i, err
}

func instant(micros sql.NullInt64) *time.Time {
	if !micros.Valid {
		return nil
	}
	t := time.UnixMicro(micros.Int64).UTC()
	return &t
}
