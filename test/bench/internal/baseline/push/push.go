// Package push is the push path with nothing around it: one process that takes a push as JSON, stores
// it in the tables of Hub, announces it on Redis, hears it there and writes it to the streams. No
// token, no validation, no second service, no event log.
package push

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/pprof"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"

	"example.com/hub/test/bench/internal/baseline/process"
	"example.com/hub/test/bench/internal/baseline/rest"
	"example.com/hub/test/bench/internal/baseline/sse"
)

const (
	// copyFrom is the number of targets from which a COPY is faster than a statement.
	copyFrom = 1000
	// perFrame is the number of events of one publication.
	perFrame = 100
	channel  = "bench:events"
	// heartbeat is the interval of Hub.
	heartbeat = 15 * time.Second
)

const insertMessage = `
WITH new_message AS (
	INSERT INTO message (source_message_id, source_app_id) VALUES ($1, 'erp') RETURNING id
)
INSERT INTO body (message_id, occurred_at, create_time, creator, title, category, actions, content)
SELECT id, $2, $2, 'erp', $3, $4, $5, $6 FROM new_message
RETURNING message_id, id`

const insertPush = `
WITH new_message AS (
	INSERT INTO message (source_message_id, source_app_id) VALUES ($1, 'erp') RETURNING id
), new_body AS (
	INSERT INTO body (message_id, occurred_at, create_time, creator, title, category, actions, content)
	SELECT id, $2, $2, 'erp', $3, $4, $5, $6 FROM new_message
	RETURNING message_id, id
), new_inbox AS (
	INSERT INTO inbox (message_id, body_id, ordinal, status, occurred_at, username)
	SELECT new_body.message_id, new_body.id, t.place - 1, 1, $2, t.username
	FROM new_body, unnest($7::text[]) WITH ORDINALITY AS t (username, place)
)
SELECT id FROM new_body`

type request struct {
	SourceMessageID string          `json:"sourceMessageId"`
	TargetUsernames []string        `json:"targetUsernames"`
	Title           string          `json:"title"`
	Content         string          `json:"content"`
	Category        string          `json:"category"`
	Actions         json.RawMessage `json:"actions"`
}

type server struct {
	pool    *pgxpool.Pool
	redis   *redis.Client
	streams *sse.Server
}

// Serve serves pushes and streams until standard input ends.
func Serve(ctx context.Context, dsn, redisURL string) error {
	pool, err := rest.Pool(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	options, err := redis.ParseURL(redisURL)
	if err != nil {
		return err
	}
	options.Protocol = 2
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	s := &server{pool, client, sse.New()}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	subscription := client.Subscribe(ctx, channel)
	if _, err := subscription.Receive(ctx); err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	go s.hear(ctx, subscription)
	go s.streams.Beat(ctx, heartbeat)

	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("POST /message-hub/messages", s.push)
	mux.Handle("GET /message-hub/stream", s.streams)
	return process.Serve(ctx, mux)
}

func (s *server) push(w http.ResponseWriter, r *http.Request) {
	var q request
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		process.Answer(w, nil, err)
		return
	}
	slices.Sort(q.TargetUsernames)
	now := time.Now()
	store := s.insert
	if len(q.TargetUsernames) >= copyFrom {
		store = s.copyIn
	}
	body, err := store(r.Context(), q, now)
	if err == nil {
		err = s.announce(r.Context(), q.TargetUsernames, body, now)
	}
	process.Answer(w, []byte(`{"code":"0","msg":"ok","data":null}`), err)
}

func (s *server) insert(ctx context.Context, q request, now time.Time) (body int64, err error) {
	err = s.pool.QueryRow(ctx, insertPush, q.SourceMessageID, now, q.Title, q.Category, string(q.Actions), q.Content,
		q.TargetUsernames).Scan(&body)
	return body, err
}

func (s *server) copyIn(ctx context.Context, q request, now time.Time) (body int64, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var message int64
		row := tx.QueryRow(ctx, insertMessage, q.SourceMessageID, now, q.Title, q.Category, string(q.Actions), q.Content)
		if err := row.Scan(&message, &body); err != nil {
			return err
		}
		return Copy(ctx, tx, q.TargetUsernames, message, body, now)
	})
	return body, err
}

// Copy writes the inbox rows of sorted targets, and nothing else.
func Copy(ctx context.Context, into copier, targets []string, message, body int64, now time.Time) error {
	columns := []string{"message_id", "body_id", "ordinal", "status", "occurred_at", "username"}
	values := []any{message, body, nil, int16(1), now, nil}
	_, err := into.CopyFrom(ctx, pgx.Identifier{"inbox"}, columns,
		pgx.CopyFromSlice(len(targets), func(i int) ([]any, error) {
			values[2], values[5] = i, targets[i]
			return values, nil
		}))
	return err
}

type copier interface {
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error)
}

// announce publishes lines of a user and an event id, in one pipeline.
func (s *server) announce(ctx context.Context, targets []string, body int64, now time.Time) error {
	pipe := s.redis.Pipeline()
	for first := 0; first < len(targets); first += perFrame {
		var frame []byte
		for i, user := range targets[first:min(first+perFrame, len(targets))] {
			frame = fmt.Appendf(frame, "%s %d-%d %d\n", user, body, first+i, now.UnixMilli())
		}
		pipe.Publish(ctx, channel, frame)
	}
	_, err := pipe.Exec(ctx)
	return err
}

func (s *server) hear(ctx context.Context, subscription *redis.PubSub) {
	for {
		message, err := subscription.ReceiveMessage(ctx)
		if err != nil {
			return
		}
		for line := range strings.Lines(message.Payload) {
			parts := strings.Fields(line)
			if len(parts) != 3 {
				continue
			}
			s.streams.Send(parts[0], fmt.Appendf(nil,
				"event: message\nid: %[1]s\ndata: {\"type\":\"message\",\"id\":\"%[1]s\",\"ts\":%[2]s}\n\n", parts[1], parts[2]))
		}
	}
}
