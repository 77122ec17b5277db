package postgres_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/field"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/store/postgres"
)

// TestCopyStoresWhatAStatementStores pushes to the same users by a COPY and by statements, and compares
// all columns.
func TestCopyStoresWhatAStatementStores(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	users := []string{"ü", "日本語 \u00a0 ", `"quoted",\N`, strings.Repeat("😀", field.MaxUsername)}
	users = slices.Sorted(slices.Values(append(users, pushTo(postgres.CopyFrom).Targets...)))
	for _, occurredAt := range []time.Time{
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
	} {
		p := pushTo(0)
		p.SourceMessageID, p.OccurredAt, p.Targets = "copied "+occurredAt.String(), occurredAt, users
		pushOnce(t, s, p, len(users))
		copied := rowsOf(t, dsn, p.SourceMessageID)
		p.SourceMessageID = "stated " + occurredAt.String()
		for part := range slices.Chunk(users, postgres.CopyFrom-1) {
			p.Targets = part
			pushOnce(t, s, p, len(part))
		}
		if diff := cmp.Diff(rowsOf(t, dsn, p.SourceMessageID), copied); diff != "" {
			t.Errorf("(-statement +copy):\n%s", diff)
		}
		p.Targets = users
		pushOnce(t, s, p, 0)
	}
}

type row struct {
	Occurred time.Time
	Status   inbox.Status
	ReadAt   *time.Time
	Username string
	Modifier *string
}

// rowsOf gives what two messages have alike of the rows of a message.
func rowsOf(t *testing.T, dsn, sourceMessageID string) []row {
	t.Helper()
	rows, err := pgtest.Connect(t, dsn).Query(t.Context(), `
		SELECT i.occurred_at, i.status, i.read_at, i.username, i.modifier
		FROM message AS m
		JOIN inbox AS i ON i.message_id = m.id
		JOIN body AS b ON b.id = i.body_id AND b.message_id = m.id
		WHERE m.source_message_id = $1
		ORDER BY i.username`, sourceMessageID)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		t.Fatal(err)
	}
	return all
}
