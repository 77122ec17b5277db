package hub

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// Limits of todohub.
const (
	maxBatch     = 500
	maxOpen      = 20_000
	maxClose     = 10_000
	maxClosedIDs = 200

	// defaultClose is the max_close of a request that has none.
	defaultClose = 100
)

// UpsertTodos stores any number of todos, in order, in as many batches as it takes: of 500 and 4 MiB. They come one
// after the other, each with a deadline of its own. The results are those of BatchUpsertTodos: one for each item,
// in order; one with an Error was refused, and kept nobody else from being stored.
//
// When a call fails, the results are those of the items before it, of which there are len(results); of the call's
// own items some may be stored. To go on, upsert items[len(results):], or all of them again.
func (c *Client) UpsertTodos(ctx context.Context, items []*todov1.UpsertTodoRequest) ([]*todov1.BatchUpsertResult, error) {
	results := make([]*todov1.BatchUpsertResult, 0, len(items))
	for len(items) > 0 {
		n := fitting(items, maxBatch, maxMessage, func(i *todov1.UpsertTodoRequest) int { return proto.Size(i) })
		answer, err := c.Todos.BatchUpsertTodos(ctx, &todov1.BatchUpsertTodosRequest{Items: items[:n]})
		switch {
		case err != nil && n == 1 && codeOfError(err) == codes.InvalidArgument:
			// It is larger than a message, so that Hub cannot read it as an item.
			results = append(results, &todov1.BatchUpsertResult{TodoId: items[0].GetTodoId(), Error: messageOf(err)})
		case err != nil:
			return results, err
		default:
			results = append(results, answer.GetResults()...)
		}
		items = items[n:]
	}
	return results, nil
}

// ReconcileTodos closes what is open at Hub and not in r.Open, which may have any number of entries in any order. It
// is the call ReconcileTodos, in parts of 20,000 entries and 4 MiB, each of which is a range of ids. An id that is
// repeated counts once.
//
// With one part it is that call. With more, all parts run dry first, so that r.MaxClose bounds them together, and
// nothing is closed where there is more to close: FailedPrecondition. A part may close 10,000 items. When a part
// fails later, those before it are closed, and the answer beside the error counts them; a repeat closes the rest.
//
// r.AsOf is the time at which the list was made, by Hub's clock. That of this machine does where both are kept
// right: subtract what they may differ by, since an earlier time only leaves alone what has changed since.
func (c *Client) ReconcileTodos(ctx context.Context, r *todov1.ReconcileTodosRequest) (*todov1.ReconcileTodosResponse, error) {
	parts := rangesOf(r)
	if len(parts) == 1 {
		return c.Todos.ReconcileTodos(ctx, parts[0])
	}
	bound := int64(defaultClose)
	if r.MaxClose != nil {
		bound = r.GetMaxClose()
	}
	// What counts is what has not changed since r.AsOf, so a part never has more to close than it had in its dry run.
	plan, closing := &todov1.ReconcileTodosResponse{}, parts[:0]
	for _, part := range parts {
		part.DryRun, part.MaxClose = true, proto.Int64(maxClose)
		answer, err := c.Todos.ReconcileTodos(ctx, part)
		if err != nil {
			return nil, err
		}
		add(plan, answer)
		if n := answer.GetClosed(); n > 0 {
			part.DryRun, part.MaxClose = false, &n
			closing = append(closing, part)
		}
	}
	if plan.GetClosed() > bound {
		return nil, &Error{
			Code: codes.FailedPrecondition, Message: fmt.Sprintf("%d todos are to be closed, and max close is %d", plan.GetClosed(), bound),
		}
	}
	if r.GetDryRun() {
		return plan, nil
	}
	done := &todov1.ReconcileTodosResponse{Missing: plan.GetMissing(), Stale: plan.GetStale()}
	for _, part := range closing {
		answer, err := c.Todos.ReconcileTodos(ctx, part)
		if err != nil {
			return done, err
		}
		add(done, &todov1.ReconcileTodosResponse{Closed: answer.GetClosed(), ClosedIds: answer.GetClosedIds()})
	}
	return done, nil
}

// add sums the answers of parts.
func add(sum, part *todov1.ReconcileTodosResponse) {
	sum.Closed += part.GetClosed()
	sum.Missing += part.GetMissing()
	sum.Stale += part.GetStale()
	ids := part.GetClosedIds()
	sum.ClosedIds = append(sum.ClosedIds, ids[:min(len(ids), maxClosedIDs-len(sum.GetClosedIds()))]...)
}

// rangesOf cuts a request into ones that Hub takes. Each ends with its last entry, and the last one where the
// request does.
func rangesOf(r *todov1.ReconcileTodosRequest) []*todov1.ReconcileTodosRequest {
	open := slices.Clone(r.GetOpen())
	slices.SortStableFunc(open, func(a, b *todov1.OpenTodo) int { return cmp.Compare(a.GetTodoId(), b.GetTodoId()) })
	open = slices.CompactFunc(open, func(a, b *todov1.OpenTodo) bool { return a.GetTodoId() == b.GetTodoId() })
	var parts []*todov1.ReconcileTodosRequest
	for from := r.GetFrom(); ; {
		n := fitting(open, maxOpen, maxMessage, func(t *todov1.OpenTodo) int { return proto.Size(t) })
		part := &todov1.ReconcileTodosRequest{
			AsOf: r.AsOf, From: from, To: r.To, Open: open[:n], Action: r.GetAction(), Result: r.Result,
			MaxClose: r.MaxClose, DryRun: r.GetDryRun(),
		}
		parts = append(parts, part)
		if open = open[n:]; len(open) == 0 {
			return parts
		}
		from = part.GetOpen()[n-1].GetTodoId()
		part.To = proto.String(from)
	}
}
