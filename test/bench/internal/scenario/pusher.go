package scenario

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/test/bench/internal/baseline/push"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/stage"
)

// fullRows is the plain way to keep messages: a row per user with everything in it.
const fullRows = `
CREATE TABLE inbox (
	id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	source_app_id     text NOT NULL,
	source_message_id text NOT NULL,
	username          text NOT NULL,
	title             text NOT NULL,
	content           text NOT NULL,
	category          text NOT NULL,
	actions           text NOT NULL,
	status            smallint NOT NULL,
	occurred_at       timestamptz NOT NULL,
	read_at           timestamptz,
	create_time       timestamptz NOT NULL,
	modify_time       timestamptz NOT NULL,
	UNIQUE (source_app_id, source_message_id, username)
);
CREATE INDEX ON inbox (username, status, occurred_at DESC, id DESC)`

const insertFullRows = `
INSERT INTO inbox (source_app_id, source_message_id, username, title, content, category, actions, status,
	occurred_at, create_time, modify_time)
SELECT 'erp', $1, username, $2, $3, 'order', $4, 1, $5, $5, $5
FROM unnest($6::text[]) AS username
ON CONFLICT DO NOTHING`

// pusher stores a push in three ways: as Hub's service, as a COPY of its inbox rows, and as rows with
// everything in them.
type pusher struct {
	hub        messagev1.MessageServiceClient
	calls      context.Context //nolint:containedctx // it carries the token of all calls
	pid        int
	hubDB      *pgx.Conn
	copy, full *pgx.Conn
	pushed     int64
	// used is what the service used for each push of the last comparison.
	used  report.Use
	began time.Time
}

func newPusher(ctx context.Context, s *stage.Stage) (_ *pusher, closeAll func(), err error) {
	p := &pusher{began: time.Now(), pid: s.MessagehubPID}
	var closers []func()
	closeAll = func() {
		for _, c := range slices.Backward(closers) {
			c()
		}
	}
	defer func() {
		if err != nil {
			closeAll()
		}
	}()
	calls, withToken, err := s.Calls(ctx, s.Messagehub)
	if err != nil {
		return nil, nil, err
	}
	closers = append(closers, func() { _ = calls.Close() })
	p.hub, p.calls = messagev1.NewMessageServiceClient(calls), withToken

	connect := func(into **pgx.Conn, dsn string) {
		if err != nil {
			return
		}
		var conn *pgx.Conn
		if conn, err = pgx.Connect(ctx, dsn); err == nil {
			*into = conn
			closers = append(closers, func() { _ = conn.Close(context.WithoutCancel(ctx)) })
		}
	}
	dsn, err := s.Migrated(ctx, "messagehub", "copy")
	if err != nil {
		return nil, nil, err
	}
	if err := s.Postgres.CreateDatabase(ctx, "rows"); err != nil {
		return nil, nil, err
	}
	connect(&p.copy, dsn)
	connect(&p.full, s.Database("rows"))
	connect(&p.hubDB, s.Database("messagehub"))
	if err != nil {
		return nil, nil, err
	}
	_, err = p.full.Exec(ctx, fullRows)
	return p, closeAll, err
}

// id is a new message id.
func (p *pusher) id() string {
	p.pushed++
	return fmt.Sprintf("message-%d-%d", p.began.UnixNano(), p.pushed)
}

func (p *pusher) pushHub(targets []string, size int) error {
	answer, err := p.hub.PushMessage(p.calls, &messagev1.PushMessageRequest{
		SourceMessageId: p.id(), TargetUsernames: targets, Title: title, Content: content(size), Category: "order",
		Actions: []*messagev1.MessageAction{{Label: "Open", Url: "https://erp.example.com/orders/4711"}},
	})
	if err != nil {
		return fmt.Errorf("push to %d users: %w", len(targets), err)
	}
	if int(answer.GetCreated()) != len(targets) {
		return fmt.Errorf("a push to %d users created %d records", len(targets), answer.GetCreated())
	}
	return nil
}

func (p *pusher) pushCopy(ctx context.Context, sorted []string) error {
	p.pushed++
	return push.Copy(ctx, p.copy, sorted, p.pushed, p.pushed, time.Now())
}

func (p *pusher) pushFull(ctx context.Context, targets []string) error {
	_, err := p.full.Exec(ctx, insertFullRows, p.id(), title, content(contentSize), actions, time.Now(), targets)
	return err
}

// ways push to the targets as Hub, as a COPY and as full rows.
func (p *pusher) ways(ctx context.Context, targets []string) []func() error {
	sorted := slices.Sorted(slices.Values(targets))
	return []func() error{
		func() error { return p.pushHub(targets, contentSize) },
		func() error { return p.pushCopy(ctx, sorted) },
		func() error { return p.pushFull(ctx, targets) },
	}
}
