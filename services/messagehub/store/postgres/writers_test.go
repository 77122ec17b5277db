package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/store/postgres"
)

// history is what writers committed.
type history struct {
	mu     sync.Mutex
	frames []bus.Frame
}

func (h *history) add(f bus.Frame) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.frames = append(h.frames, f)
}

// write makes changes of all kinds and sizes until the number is reached; done is told of each that
// wrote a row.
func write(ctx context.Context, s *postgres.Store, writer, changes int, done func(bus.Frame)) error {
	random := rand.New(rand.NewPCG(uint64(writer), 7))
	names := pushTo(2000).Targets
	for i := range changes {
		p := pushTo(0)
		p.SourceMessageID = fmt.Sprint("m", random.IntN(changes/2)) // about half is new
		p.Now = start.Add(time.Duration(writer*changes+i) * time.Millisecond)
		p.Targets = names[random.IntN(10):][:1+random.IntN(20)]
		if i%25 == 24 {
			p.Targets = names[:1+random.IntN(2000)]
		}
		result, err := s.Push(ctx, p)
		if err != nil {
			return err
		}
		if len(result.Created) > 0 {
			done(messages(result, p))
		}
		read := inbox.MarkReadParams{
			Stamp: inbox.Stamp{ClientID: "portal", Now: p.Now}, SourceMessageID: p.SourceMessageID, Username: p.Targets[0],
		}
		marked, err := s.MarkRead(ctx, read)
		if err != nil {
			return err
		}
		if marked.Switched > 0 {
			e := bus.Event{Kind: bus.Read, User: read.Username, ID: read.SourceMessageID, Time: read.Now}
			done(bus.Frame{Position: marked.Position, Events: []bus.Event{e}})
		}
	}
	return nil
}

// linger keeps transactions open that wrote a row of the log early, so that rows are committed late.
func linger(ctx context.Context, conn *pgx.Conn, stop <-chan struct{}, done func(bus.Frame)) error {
	again := time.NewTicker(30 * time.Millisecond)
	defer again.Stop()
	for n := 0; ; n++ {
		tx, err := conn.Begin(ctx)
		if err != nil {
			return err
		}
		f, err := writeLate(ctx, tx, n)
		if err != nil {
			return err
		}
		select {
		case <-again.C:
		case <-stop:
		}
		if err := tx.Commit(ctx); err != nil {
			return err
		}
		done(f)
		select {
		case <-stop:
			return nil
		default:
		}
	}
}

// writeLate writes a row of the log, which tx is still to commit.
func writeLate(ctx context.Context, tx pgx.Tx, n int) (bus.Frame, error) {
	id := fmt.Sprint("late", n)
	var p bus.Position
	err := tx.QueryRow(ctx, `
		INSERT INTO event_log (kind, events, happened, username, source_message_id)
		VALUES (2, 1, $1, 'late', $2)
		RETURNING xid, seq`, start, id).Scan(&p.Transaction, &p.Sequence)
	return bus.Frame{Position: p, Events: []bus.Event{{Kind: bus.Read, User: "late", ID: id, Time: start}}}, err
}
