package rest

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/hub/test/bench/internal/baseline/process"
)

// Connections is the size of the pools of the baselines, the default of Hub's services.
const Connections = 10

const columns = `id, type, status, due_at, cleared_at, create_time, modify_time, source_system, source_biz_id,
	assignee_username, initiator_username, title, summary, category, action_url, result, cleared_by, reason,
	creator_id, modifier_id`

// One statement for the page and the total spares a round trip.
const listTodos = `
SELECT total.n, ` + columns + `
FROM (SELECT count(*) AS n FROM todo WHERE assignee_username = $1 AND status = $2 AND type = $3) AS total,
	(SELECT * FROM todo WHERE assignee_username = $1 AND status = $2 AND type = $3
	ORDER BY modify_time DESC, id DESC LIMIT $4 OFFSET $5) AS page
ORDER BY modify_time DESC, id DESC`

const upsertTodo = `
INSERT INTO todo (id, type, status, due_at, create_time, modify_time, source_system, source_biz_id,
	assignee_username, initiator_username, title, summary, category, action_url, creator_id, modifier_id)
VALUES ($1, $2, 1, $3, $4, $4, 'erp', $5, $6, $7, $8, $9, $10, $11, 'erp', 'erp')
ON CONFLICT (id) DO UPDATE SET
	type = excluded.type, due_at = excluded.due_at, modify_time = excluded.modify_time,
	source_system = excluded.source_system, source_biz_id = excluded.source_biz_id,
	assignee_username = excluded.assignee_username, initiator_username = excluded.initiator_username,
	title = excluded.title, summary = excluded.summary, category = excluded.category,
	action_url = excluded.action_url, modifier_id = excluded.modifier_id
RETURNING ` + columns

// Postgres is a Store, with the driver as it comes.
type Postgres struct{ pool *pgxpool.Pool }

// ServePostgres serves todos of a database until standard input ends.
func ServePostgres(ctx context.Context, dsn string) error {
	pool, err := Pool(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	return process.Serve(ctx, Handler(&Postgres{pool}))
}

// Pool opens a pool of the size of Hub's.
func Pool(ctx context.Context, dsn string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	config.MaxConns = Connections
	return pgxpool.NewWithConfig(ctx, config)
}

// List implements Store.
func (p *Postgres) List(ctx context.Context, q Query) ([]Item, int64, error) {
	rows, err := p.pool.Query(ctx, listTodos, q.Assignee, q.Status, q.Type, q.Limit, q.Offset)
	if err != nil {
		return nil, 0, err
	}
	var total int64
	items, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Item, error) { return scan(row, &total) })
	return items, total, err
}

// Upsert implements Store.
func (p *Postgres) Upsert(ctx context.Context, r Request) (Item, error) {
	rows, err := p.pool.Query(ctx, upsertTodo, r.TodoID, number(types, r.Type), r.DueAt, time.Now(), r.SourceBizID,
		r.AssigneeUsername, r.InitiatorUsername, r.Title, r.Summary, r.Category, r.ActionURL)
	if err != nil {
		return Item{}, err
	}
	return pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (Item, error) { return scan(row) })
}

// scan reads the columns behind what stands in front of them.
func scan(row interface{ Scan(into ...any) error }, front ...any) (Item, error) {
	var i Item
	var kind, status int
	var created, modified time.Time
	err := row.Scan(append(front, &i.ID, &kind, &status, &i.DueAt, &i.ClearedAt, &created, &modified,
		&i.SourceSystem, &i.SourceBizID, &i.AssigneeUsername, &i.InitiatorUsername, &i.Title, &i.Summary,
		&i.Category, &i.ActionURL, &i.Result, &i.ClearedBy, &i.Reason, &i.CreatorID, &i.ModifierID)...)
	i.Type, i.Status = types[kind], statuses[status]
	i.CreateTime, i.ModifyTime = auditTime(created), auditTime(modified)
	i.Creator, i.Modifier = i.CreatorID, i.ModifierID
	return i, err
}
