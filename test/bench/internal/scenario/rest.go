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
	// connections is the number of requests at one time.
	connections = 16
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
	s, err := stage.Start(ctx, e.Bin, home)
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
	hub := side{s.Edge, s.Token, []int{s.EdgePID, s.TodohubPID}}
	baseline := side{bare.Addr, "", []int{bare.PID}}
	r.part(ctx, "9a 9b", s.Both("todohub"), func() ([]report.Row, []plot.Chart, error) {
		c, err := compare(ctx, e, hub, baseline, listTodos(people))
		return c.rows("9", "list of 20 with total, token, edge to hub, 16 at once", 0.6, 1.7), nil, err
	})
	r.part(ctx, "10a 10b", s.Both("todohub"), func() ([]report.Row, []plot.Chart, error) {
		c, err := compare(ctx, e, hub, baseline, upsertTodos(people))
		return c.rows("10", "upsert with token, edge to hub, 16 at once", 0.45, 3.5), nil, err
	})
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

// side is a server under load.
type side struct {
	addr, token string
	pids        []int
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

// comparison is what a comparison of two servers under the same load found.
type comparison struct {
	rates [2]measure.Samples
	used  [2]report.Use
}

// compare runs the same calls against both sides in turn, after a check that both answer the same.
func compare(ctx context.Context, e Env, hub, baseline side, c calls) (comparison, error) {
	sides := [2]side{hub, baseline}
	if err := alike(ctx, sides[:], c); err != nil {
		return comparison{}, err
	}
	return alternate(ctx, e, sides, [2]load.Act{c(hub.token), c(baseline.token)})
}

// alternate runs the calls of both sides in turn, after a warm-up.
func alternate(ctx context.Context, e Env, sides [2]side, acts [2]load.Act) (comparison, error) {
	var found comparison
	take := func(i int) func() (float64, error) {
		return func() (float64, error) {
			usage, err := measure.Use(sides[i].pids...)
			if err != nil {
				return 0, err
			}
			r, err := load.Run(ctx, sides[i].addr, connections, e.window(), acts[i])
			if err != nil {
				return 0, err
			}
			return r.Rate(), use(&found.used[i], usage, r.Requests)
		}
	}
	for i := range sides {
		if _, err := take(i)(); err != nil {
			return comparison{}, err
		}
		found.used[i] = report.Use{}
	}
	var err error
	found.rates[0], found.rates[1], err = measure.Alternate(e.Rounds, take(0), take(1))
	return found, err
}

// rows are the requests per second and the processor time.
func (c comparison) rows(id, scenario string, rate, cpu float64) []report.Row {
	return []report.Row{
		{
			ID: id + "a", Scenario: scenario, Unit: "requests/s", Hub: c.rates[0], Baseline: c.rates[1],
			Target: report.RatioAtLeast(rate), HubUse: c.used[0], BaselineUse: c.used[1],
		},
		{
			ID: id + "b", Scenario: scenario + ": CPU of the servers", Unit: "us/request",
			Hub: c.used[0].CPU, Baseline: c.used[1].CPU, Target: report.RatioAtMost(cpu),
		},
	}
}
