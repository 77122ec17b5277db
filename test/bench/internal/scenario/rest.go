package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"

	"example.com/hub/test/bench/internal/crowd"
	"example.com/hub/test/bench/internal/load"
	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/plot"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/stage"
)

const (
	// connections is the number of requests at one time, crowded that of many callers.
	connections, crowded = 16, 64
	// todosEach is the number of open todos of a user.
	todosEach = 100
)

// seedTodos fills a todo table: $1 users with $2 todos each.
const seedTodos = `
INSERT INTO todo (create_time, modify_time, type, status, due_at, id, source_system, source_biz_id,
	assignee_username, initiator_username, title, summary, category, action_url, creator_id, modifier_id)
SELECT now() - n * interval '1 second', now() - n * interval '1 second', 1, 1, now() + n * interval '1 minute',
	'todo-' || n, 'erp', 'order-' || n, 'user-' || lpad((n % $1)::text, 6, '0'), 'initiator-' || n % 97,
	'Approve order ' || n || ' of the furniture contract', repeat('Twelve desks and chairs. ', 4), 'order',
	'https://erp.example.com/orders/' || n, 'erp', 'erp'
FROM generate_series(0, $1::int * $2::int - 1) AS n`

// runREST measures scenarios 9, 10, 17 and 20.
func runREST(ctx context.Context, e Env, home string, r *Result) error {
	// The baseline's callers wait for a connection for as long as it takes; a disk that stands still for
	// half a second is a slow round, and no failure.
	s, err := stage.Start(ctx, e.Bin, home, "HUB_DATABASE_ACQUIRE_TIMEOUT=5s")
	if err != nil {
		return err
	}
	defer s.Stop()
	dsn, err := s.Migrated(ctx, "todohub", "bare")
	if err != nil {
		return err
	}
	people := e.size(1_000, 100)
	for _, database := range []string{dsn, s.Database("todohub")} {
		if err := seed(ctx, database, people); err != nil {
			return fmt.Errorf("seed todos: %w", err)
		}
	}
	bare, err := stage.Baseline(ctx, "rest", dsn)
	if err != nil {
		return err
	}
	defer bare.Stop()
	hub, baseline := distributed(s, "todohub"), alone(bare, s)
	r.part(ctx, "9a 9b", nil, func() ([]report.Row, []plot.Chart, error) {
		c, err := compare(ctx, e, "9", connections, hub, baseline, listTodos(people))
		return c.rows("9", "list of 20 with total, token, edge to hub, 16 at once",
			report.RatioAtLeast(0.82).WithGoal(0.9), report.RatioAtMost(1.7)), nil, err
	})
	r.part(ctx, "10a 10b", nil, func() ([]report.Row, []plot.Chart, error) {
		c, err := compare(ctx, e, "10", connections, hub, baseline, upsertTodos(people))
		return c.rows("10", "upsert with token, edge to hub, 16 at once",
			report.RatioAtLeast(0.75).WithGoal(0.8), report.RatioAtMost(1.9).WithGoal(1.7)), nil, err
	})
	r.part(ctx, "10c", nil, func() ([]report.Row, []plot.Chart, error) {
		c, err := compare(ctx, e, "10c", crowded, hub, baseline, upsertTodos(people))
		row := c.rate("10c", "upsert by 64 at once, token, edge to hub", report.RatioAtLeast(0.9).WithGoal(1))
		return []report.Row{row}, nil, err
	})
	r.part(ctx, "10d", s.Both("todohub"), func() ([]report.Row, []plot.Chart, error) {
		row, err := loneUpserts(ctx, e, hub, baseline, people)
		return []report.Row{row}, nil, err
	})
	// What is measured beside Hub itself has profiles of the whole time, which is both sides'.
	hub.services = nil
	r.part(ctx, "17a 17b", append(s.Both("todohub"), s.Services["messagehub"]), func() ([]report.Row, []plot.Chart, error) {
		rows, err := counts(ctx, e, s, hub, people)
		return rows, nil, err
	})
	r.part(ctx, "20a 20b", s.Both("todohub"), func() ([]report.Row, []plot.Chart, error) {
		rows, err := batches(ctx, e, s, hub, people)
		return rows, nil, err
	})
	return nil
}

func seed(ctx context.Context, dsn string, people int) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, seedTodos, people, todosEach); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "VACUUM ANALYZE todo")
	return err
}

// calls makes the requests of the workers for a side.
type calls func(token string) load.Act

// listTodos asks for the first page of any user.
func listTodos(people int) calls {
	return func(token string) load.Act {
		return func(_ int, buf []byte) []byte {
			user := crowd.User(rand.N(people))
			return load.Get(buf, "/todo-hub/todos?assigneeUsername="+user+"&status=OPEN&type=HANDLE&size=20", token)
		}
	}
}

// upsertTodos changes any todo.
func upsertTodos(people int) calls {
	return func(token string) load.Act {
		return func(_ int, buf []byte) []byte {
			body, err := json.Marshal(request(rand.N(people*todosEach), people))
			if err != nil {
				panic(err) // strings can always be encoded
			}
			return load.Post(buf, "/todo-hub/todos", token, body)
		}
	}
}

// loneUpserts measures an upsert that nothing else is under way beside.
func loneUpserts(ctx context.Context, e Env, hub, baseline side, people int) (report.Row, error) {
	row := report.Row{
		ID: "10d", Scenario: "a lone upsert with token, edge to hub: p50", Unit: "ms", Target: report.RatioAtMost(2), Note: "the whole call",
	}
	var takes [2]func() (float64, error)
	for i, s := range []side{hub, baseline} {
		conn, err := load.Dial(ctx, s.addr)
		if err != nil {
			return row, err
		}
		defer func() { _ = conn.Close() }()
		act := upsertTodos(people)(s.token)
		takes[i] = measure.Timed(func() error {
			_, err := conn.Do(act(0, nil), false)
			return err
		})
	}
	var err error
	row.Hub, row.Baseline, err = lone(e, takes)
	return row, err
}

// lone takes the milliseconds of single calls of Hub and of the baseline in turn.
func lone(e Env, takes [2]func() (float64, error)) (hub, baseline measure.Samples, err error) {
	for range e.Rounds {
		took, err := measure.Interleave(e.size(500, 5), takes[:]...)
		if err != nil {
			return nil, nil, err
		}
		hub, baseline = append(hub, took[0]), append(baseline, took[1])
	}
	return hub, baseline, nil
}
