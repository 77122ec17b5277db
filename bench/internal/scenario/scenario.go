// Package scenario is what the suite measures. A group of scenarios shares a stage and its data.
package scenario

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"example.com/hub/bench/internal/crowd"
	"example.com/hub/bench/internal/plot"
	"example.com/hub/bench/internal/report"
	"example.com/hub/bench/internal/stage"
)

// Env is how a run was asked for.
type Env struct {
	// Bin is the folder of the services' binaries.
	Bin string
	// Rounds is the number of values of each figure.
	Rounds int
	// Short reduces sizes and times to what shows that everything works.
	Short bool
	// Progress says what is being done.
	Progress func(format string, args ...any)
}

// Result is what a group found.
type Result struct {
	Rows   []report.Row
	Charts []plot.Chart
}

// Group is scenarios that run together.
type Group struct {
	// Name is what the group is called in messages.
	Name string
	// Numbers are the scenarios, as in the table.
	Numbers []int
	// Run measures them in a home of its own.
	Run func(ctx context.Context, e Env, home string) (Result, error)
}

// Groups are all scenarios.
func Groups() []Group {
	return []Group{
		{"push and store", []int{1, 2, 3}, Push},
		{"push and deliver", []int{4, 5, 8, 14}, Deliver},
		{"streams", []int{6, 7}, Streams},
		{"REST", []int{9, 10}, REST},
		{"inbox size", []int{11, 12}, Inbox},
		{"one process", []int{13, 15}, Embedded},
	}
}

// Run runs a group in a new home, which it removes.
func (g Group) run(ctx context.Context, e Env) (Result, error) {
	home, remove, err := stage.Home()
	if err != nil {
		return Result{}, err
	}
	defer remove()
	return g.Run(ctx, e, home)
}

// Run runs the groups that have one of the scenarios, or all when none is named. A group that fails is
// told of and does not end the others.
func Run(ctx context.Context, e Env, only []int) (rows []report.Row, charts []plot.Chart, missed []string) {
	for _, g := range Groups() {
		wanted := len(only) == 0 || slices.ContainsFunc(g.Numbers, func(n int) bool { return slices.Contains(only, n) })
		if !wanted || ctx.Err() != nil {
			continue
		}
		began := time.Now()
		e.Progress("%s: scenarios %s", g.Name, strings.Trim(fmt.Sprint(g.Numbers), "[]"))
		result, err := g.run(ctx, e)
		if err != nil {
			missed = append(missed, fmt.Sprintf("%s: %v", g.Name, err))
			e.Progress("%s failed: %v", g.Name, err)
			continue
		}
		rows, charts = append(rows, result.Rows...), append(charts, result.Charts...)
		e.Progress("%s: done in %.0f s", g.Name, time.Since(began).Seconds())
	}
	return rows, charts, missed
}

// size is the full size, or that of a smoke run.
func (e Env) size(full, short int) int {
	if e.Short {
		return short
	}
	return full
}

// window is how long one value of a rate is measured.
func (e Env) window() time.Duration {
	if e.Short {
		return 500 * time.Millisecond
	}
	return 3 * time.Second
}

// The content of every message.
const (
	title   = "Order 4711 of the furniture contract wants you"
	actions = `[{"label":"Open","url":"https://erp.example.com/orders/4711"}]`
)

// content is text of n bytes.
func content(n int) string {
	return strings.Repeat("The order of 12 desks needs a second signature. ", n/48+1)[:n]
}

// contentSize is the usual length of a content in bytes.
const contentSize = 400

// users are the names of n users from first on, in no order: a sender's list is rarely sorted.
func users(first, n int) []string {
	all := make([]string, n)
	for i, place := range rand.New(rand.NewPCG(uint64(first), uint64(n))).Perm(n) {
		all[i] = crowd.User(first + place)
	}
	return all
}
