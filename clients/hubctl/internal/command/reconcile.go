package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/hub/clients/hubctl/internal/api"
	"example.com/hub/clients/hubctl/internal/show"
)

const reconcileLong = `reconcile says which of your client's todos are open at the source, and closes all others of
this client that are OPEN in Hub.

FILE has a todo in each line: its id, or an object with todoId and, if you like,
sourceVersion; - is standard input. The order does not matter, and there may be any number.

--as-of is when the list was made, by Hub's clock: ask for it with hubctl time before you make
the list. What changed then or later stays. --max-close guards against a list that is empty by
mistake: where more would be closed, nothing is. --from and --to bound the ids, byte by byte.`

const reconcileExample = `  AS_OF=$(hubctl time)
  psql -Atc 'SELECT id FROM orders WHERE waiting' >open.txt
  hubctl todo reconcile open.txt --as-of $AS_OF --dry-run
  hubctl todo reconcile open.txt --as-of $AS_OF --from po- --to po.`

// openItem is a todo that is open at the source.
type openItem struct {
	TodoID        string `json:"todoId"`
	SourceVersion *int64 `json:"sourceVersion,omitempty"`
}

// reconciliation is the body of the call.
type reconciliation struct {
	AsOf     string     `json:"asOf"`
	Action   string     `json:"action"`
	Result   string     `json:"result,omitempty"`
	Open     []openItem `json:"open"`
	From     string     `json:"from,omitempty"`
	To       string     `json:"to,omitempty"`
	MaxClose int        `json:"maxClose"`
	DryRun   bool       `json:"dryRun"`
}

// reconciled is what became of it.
type reconciled struct {
	ClosedIDs []string `json:"closedIds"`
	Closed    int      `json:"closed"`
	Missing   int      `json:"missing"`
	Stale     int      `json:"stale"`
	DryRun    bool     `json:"dryRun"`
}

const (
	// largestOpen is how many open todos one call takes.
	largestOpen = 20_000
	// largestClose is how many todos one call may close.
	largestClose = 10_000
)

func (a *App) todoReconcile() *cobra.Command {
	r := reconciliation{Action: "clear", MaxClose: 100}
	c := &cobra.Command{
		Use: "reconcile FILE", Short: "Close what is no longer open at the source", Args: takes, Long: reconcileLong, Example: reconcileExample,
		RunE: func(c *cobra.Command, args []string) error {
			text, err := readFile(args[0], a.In)
			if err != nil {
				return err
			}
			if r.Open, err = parseOpen(text); err != nil {
				return err
			}
			return a.reconcile(c.Context(), r)
		},
	}
	c.Flags().StringVar(&r.AsOf, "as-of", "", "when the list was made, by Hub's clock (required)")
	c.Flags().StringVar(&r.Action, "action", r.Action, "clear or invalidate")
	c.Flags().StringVar(&r.Result, "result", "", `result or reason of what is closed; "reconciled" by default`)
	c.Flags().StringVar(&r.From, "from", "", "only ids behind this one")
	c.Flags().StringVar(&r.To, "to", "", "only ids up to this one")
	c.Flags().IntVar(&r.MaxClose, "max-close", r.MaxClose, "how many may be closed at most")
	c.Flags().BoolVar(&r.DryRun, "dry-run", false, "say what would be closed, and close nothing")
	a.completes(c, "action", oneOf("clear", "invalidate"))
	return c
}

// parseOpen reads a todo from each line, and sorts them as Hub wants them.
func parseOpen(text []byte) ([]openItem, error) {
	open := []openItem{}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimSpace(line)
		i := openItem{TodoID: string(line)}
		if len(line) > 0 && line[0] == '{' {
			i = openItem{}
			if err := json.Unmarshal(line, &i); err != nil || i.TodoID == "" {
				return nil, fmt.Errorf("line %d is no object with a todoId", number)
			}
		}
		if i.TodoID != "" {
			open = append(open, i)
		}
	}
	slices.SortStableFunc(open, func(a, b openItem) int { return strings.Compare(a.TodoID, b.TodoID) })
	return slices.CompactFunc(open, func(a, b openItem) bool { return a.TodoID == b.TodoID }), nil
}

// split makes a call for each 20,000 open todos. Their ranges touch, so that together they are the whole.
func (r reconciliation) split() []reconciliation {
	var parts []reconciliation
	for {
		part := r
		if len(r.Open) <= largestOpen {
			return append(parts, part)
		}
		part.Open, r.Open = r.Open[:largestOpen], r.Open[largestOpen:]
		part.To = part.Open[largestOpen-1].TodoID
		r.From = part.To
		parts = append(parts, part)
	}
}

func (a *App) reconcile(ctx context.Context, r reconciliation) error {
	if r.AsOf == "" {
		return errors.New("--as-of is missing: ask hubctl time before you make the list")
	}
	client, err := a.client()
	if err != nil {
		return err
	}
	parts := r.split()
	var done reconciled
	if len(parts) > 1 || r.DryRun { // nothing is closed before all of it is known to be allowed
		if done, err = reconcileParts(ctx, client, parts, true); err != nil {
			return err
		}
		if done.Closed > r.MaxClose {
			return &api.Refused{
				Status: http.StatusConflict, Call: "--dry-run of all parts",
				Msg: fmt.Sprintf("%d would be closed, which is more than --max-close %d: nothing was closed", done.Closed, r.MaxClose),
			}
		}
	}
	if !r.DryRun {
		if done, err = reconcileParts(ctx, client, parts, false); err != nil {
			return err
		}
	}
	return a.print(done, func(show.Terminal) error { return a.showReconciled(done) })
}

func reconcileParts(ctx context.Context, client *api.Client, parts []reconciliation, dry bool) (reconciled, error) {
	all := reconciled{ClosedIDs: []string{}, DryRun: dry}
	for _, part := range parts {
		part.DryRun = dry
		if len(parts) > 1 {
			part.MaxClose = min(part.MaxClose, largestClose)
		}
		answer, err := client.Call(ctx, api.Request{Method: http.MethodPost, Path: todosPath + "/reconcile", Body: part})
		if err != nil {
			return all, err
		}
		var one reconciled
		if err := json.Unmarshal(answer.Data, &one); err != nil {
			return all, err
		}
		all.ClosedIDs = append(all.ClosedIDs, one.ClosedIDs...)
		all.Closed += one.Closed
		all.Missing += one.Missing
		all.Stale += one.Stale
	}
	return all, nil
}

func (a *App) showReconciled(r reconciled) error {
	verb := "Closed"
	if r.DryRun {
		verb = "Would close"
	}
	a.say("%s %s. Of the open ones %d are missing in Hub or finished there, and %d have an older version: report those again.",
		verb, count(r.Closed, "todo"), r.Missing, r.Stale)
	for _, id := range r.ClosedIDs {
		a.say("  %s", show.Text(id))
	}
	if more := r.Closed - len(r.ClosedIDs); more > 0 {
		a.say("  and %d more", more)
	}
	return nil
}
