package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/field"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/test/bench/internal/baseline/rest"
	"example.com/hub/test/bench/internal/crowd"
	"example.com/hub/test/bench/internal/load"
	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/stage"
)

// batches measures scenario 20: todos that are upserted in batches of 500, beside the same todos one by one.
func batches(ctx context.Context, e Env, s *stage.Stage, hub side, people int) ([]report.Row, error) {
	found, err := alternate(ctx, e, "20", connections, [2]side{hub, hub}, [2]load.Act{batchTodos(people)(hub.token), upsertTodos(people)(hub.token)})
	if err != nil {
		return nil, err
	}
	for i := range found.rates[0] {
		found.rates[0][i] *= field.MaxBatch
	}
	conn, ctx, err := s.Calls(ctx, s.Todohub)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	native := nativeTodos{todov1.NewTodoServiceClient(conn), people, e.window()}
	many, single, err := measure.Alternate(e.Rounds,
		func() (float64, error) { return native.rate(ctx, native.batch) },
		func() (float64, error) { return native.rate(ctx, native.single) })
	if err != nil {
		return nil, err
	}
	const scenario = "upserts in batches of 500, against the same one by one, "
	return []report.Row{
		{
			ID: "20a", Scenario: scenario + "by REST, 16 at once", Unit: "todos/s", Hub: found.rates[0], Baseline: found.rates[1],
			Target: report.RatioAtLeast(2),
		},
		{
			ID: "20b", Scenario: scenario + "by native gRPC, 16 at once", Unit: "todos/s", Hub: many, Baseline: single,
			Target: report.RatioAtLeast(2),
		},
	}, nil
}

// request is an upsert of one of the seeded todos.
func request(n, people int) rest.Request {
	id := strconv.Itoa(n)
	return rest.Request{
		TodoID: "todo-" + id, Type: "HANDLE", SourceBizID: "order-" + id,
		AssigneeUsername: crowd.User(n % people), InitiatorUsername: "initiator-" + strconv.Itoa(n%97),
		Title:   "Approve order " + id + " of the furniture contract",
		Summary: "Twelve desks and chairs, changed.", Category: "order",
		ActionURL: "https://erp.example.com/orders/" + id,
	}
}

// run gives the first of some todos that lie one behind the other, as a business system sends them.
func run(people int) int { return field.MaxBatch * rand.N(people*todosEach/field.MaxBatch) }

// batchTodos changes 500 todos.
func batchTodos(people int) calls {
	return func(token string) load.Act {
		return func(_ int, buf []byte) []byte {
			var body struct {
				Items []rest.Request `json:"items"`
			}
			first := run(people)
			for n := range field.MaxBatch {
				body.Items = append(body.Items, request(first+n, people))
			}
			text, err := json.Marshal(body)
			if err != nil {
				panic(err) // strings can always be encoded
			}
			return load.Post(buf, "/todo-hub/todos/batch", token, text)
		}
	}
}

// nativeTodos makes the same calls without an edge.
type nativeTodos struct {
	client todov1.TodoServiceClient
	people int
	window time.Duration
}

func (c nativeTodos) item(n int) *todov1.UpsertTodoRequest {
	r := request(n, c.people)
	return &todov1.UpsertTodoRequest{
		TodoId: r.TodoID, Type: todov1.TodoType_TODO_TYPE_HANDLE, SourceBizId: r.SourceBizID, AssigneeUsername: r.AssigneeUsername,
		InitiatorUsername: r.InitiatorUsername, Title: r.Title, Summary: r.Summary, Category: r.Category, ActionUrl: r.ActionURL,
	}
}

func (c nativeTodos) single(ctx context.Context) (int, error) {
	_, err := c.client.UpsertTodo(ctx, c.item(rand.N(c.people*todosEach)))
	return 1, err
}

func (c nativeTodos) batch(ctx context.Context) (int, error) {
	first, in := run(c.people), &todov1.BatchUpsertTodosRequest{}
	for n := range field.MaxBatch {
		in.Items = append(in.Items, c.item(first+n))
	}
	out, err := c.client.BatchUpsertTodos(ctx, in)
	if err == nil && out.GetStored() != field.MaxBatch {
		err = fmt.Errorf("%d of a batch were stored", out.GetStored())
	}
	return field.MaxBatch, err
}

// rate gives the todos of a second.
func (c nativeTodos) rate(ctx context.Context, call func(context.Context) (int, error)) (float64, error) {
	var todos atomic.Int64
	begin := time.Now()
	var group errgroup.Group
	for range connections {
		group.Go(func() error {
			for time.Since(begin) < c.window {
				n, err := call(ctx)
				if err != nil {
					return err
				}
				todos.Add(int64(n))
			}
			return nil
		})
	}
	err := group.Wait()
	return float64(todos.Load()) / time.Since(begin).Seconds(), err
}
