// Package scenario is what the suite measures. A group of scenarios shares a stage and its data.
package scenario

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/hub/test/bench/internal/crowd"
	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/stage"
)

// Env is how a run was asked for.
type Env struct {
	// Bin is the folder of the services' binaries.
	Bin string
	// Rounds is the number of values of each figure.
	Rounds int
	// Short reduces sizes and times to what shows that everything works.
	Short bool
	// Only are the numbers of the scenarios to measure; all when there are none.
	Only []int
	// Plots says that plots are wanted, some of which are measured for themselves.
	Plots bool
	// Profiles is the folder for processor profiles of Hub's services; empty when none are wanted.
	Profiles string
	// Progress says what is being done.
	Progress func(format string, args ...any)
}

// group is scenarios that share a stage.
type group struct {
	// name is what the group is called in messages.
	name string
	// ids are its rows.
	ids []string
	// run measures them in a home of its own. What it does not measure has failed with its error.
	run func(ctx context.Context, e Env, home string, r *Result) error
}

// groups are all scenarios.
func groups() []group {
	return []group{
		{"push and store", []string{"1a", "1b", "2a", "2b", "3"}, runPush},
		{"push and deliver", []string{"4", "5", "5b", "8", "14a", "14b"}, runDeliver},
		{"streams", []string{"6", "7a", "7b"}, runStreams},
		{"REST", []string{"9a", "9b", "10a", "10b", "10c", "10d", "17a", "17b", "20a", "20b"}, runREST},
		{"home", []string{"18"}, runHome},
		{"sockets", []string{"19a", "19b"}, runSockets},
		{"inbox size", []string{"11a", "11b", "11c", "11d", "11e", "11f", "12a", "12b", "16a", "16b", "16c"}, runInbox},
		{"one process", []string{"13", "15a", "15b", "15c", "15d"}, runEmbedded},
	}
}

// groupTime bounds one group: longer than any takes on a slow machine.
const groupTime = 20 * time.Minute

// Run measures what was asked for, one group after the other. What cannot be measured is a failed row,
// and does not end the others.
func Run(ctx context.Context, e Env) Result {
	all := Result{env: e}
	for _, g := range groups() {
		if !e.wants(g.ids...) || ctx.Err() != nil {
			continue
		}
		began := time.Now()
		wanted := slices.DeleteFunc(slices.Clone(g.ids), func(id string) bool { return !e.wants(id) })
		e.Progress("%s: rows %s", g.name, strings.Join(wanted, " "))
		result := g.measure(ctx, e)
		all.Rows, all.Charts = append(all.Rows, result.Rows...), append(all.Charts, result.Charts...)
		e.Progress("%s: done in %.0f s", g.name, time.Since(began).Seconds())
	}
	slices.SortStableFunc(all.Rows, report.Compare)
	return all
}

// measure runs the group in a new home, which it removes.
func (g group) measure(ctx context.Context, e Env) Result {
	ctx, cancel := context.WithTimeout(ctx, groupTime)
	defer cancel()
	r := Result{env: e}
	home, remove, err := stage.Home()
	if err == nil {
		defer remove()
		err = g.run(ctx, e, home, &r)
	}
	if err == nil {
		err = errors.New("nobody measured it")
	}
	r.fail(g.ids, err)
	return r
}

// wants tells whether one of the rows was asked for.
func (e Env) wants(ids ...string) bool {
	return len(e.Only) == 0 || slices.ContainsFunc(ids, func(id string) bool {
		number, err := strconv.Atoi(strings.TrimRight(id, "abcdef"))
		return err == nil && slices.Contains(e.Only, number)
	})
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

// use adds what was used since then for each of n requests, and what is resident now.
func use(into *report.Use, since measure.Usage, n int) error {
	cpu, err := since.Per(n)
	if err != nil {
		return err
	}
	memory, err := since.MiB()
	into.CPU, into.Memory = append(into.CPU, cpu), append(into.Memory, memory)
	return err
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
