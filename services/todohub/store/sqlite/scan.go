package sqlite

import (
	"database/sql"
	"time"

	"example.com/hub/services/todohub/internal/todo"
)

// scan reads the columns of one row.
func scan(rows *sql.Rows) (todo.Item, error) {
	var (
		i                      todo.Item
		dueAt, clearedAt       sql.NullInt64
		createTime, modifyTime int64
	)
	err := rows.Scan(&i.ID, &i.Type, &i.Status, &dueAt, &clearedAt, &createTime, &modifyTime,
		&i.SourceSystem, &i.SourceBizID, &i.AssigneeUsername, &i.InitiatorUsername,
		&i.Title, &i.Summary, &i.Category, &i.ActionURL,
		&i.Result, &i.ClearedBy, &i.Reason, &i.CreatorID, &i.ModifierID)
	i.DueAt, i.ClearedAt = optionalTime(dueAt), optionalTime(clearedAt)
	i.CreateTime, i.ModifyTime = timeOf(createTime), timeOf(modifyTime)
	return i, err
}

func timeOf(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

func optionalTime(micros sql.NullInt64) *time.Time {
	if !micros.Valid {
		return nil
	}
	t := timeOf(micros.Int64)
	return &t
}

func optionalMicros(t *time.Time) sql.NullInt64 {
	if t == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: true}
}
