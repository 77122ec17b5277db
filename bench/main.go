// Command bench measures Hub against small honest baselines in the same run, and prints one table. It
// starts PostgreSQL, Redis, the services' binaries (expected beside itself) and the baselines, all on
// loopback, and ends them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"example.com/hub/bench/internal/baseline/push"
	"example.com/hub/bench/internal/baseline/rest"
	"example.com/hub/bench/internal/baseline/sse"
	"example.com/hub/bench/internal/measure"
	"example.com/hub/bench/internal/plot"
	"example.com/hub/bench/internal/report"
	"example.com/hub/bench/internal/scenario"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	run := bench
	args := os.Args[1:]
	if len(args) > 1 && args[0] == "baseline" {
		run, args = baseline, args[1:]
	}
	err := run(ctx, args)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	rounds                   int
	short                    bool
	only, output, bin, plots string
}

func bench(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	only, err := numbers(o.only)
	if err != nil {
		return err
	}
	began := time.Now()
	r := report.Report{Rounds: o.rounds, Short: o.short, Machine: machine(ctx)}
	env := scenario.Env{
		Bin: o.bin, Rounds: o.rounds, Short: o.short,
		Progress: func(format string, args ...any) {
			fmt.Fprintf(os.Stderr, "%5.0f s  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
		},
	}
	var charts []plot.Chart
	r.Rows, charts, r.Missed = scenario.Run(ctx, env, only)
	r.Machine.LoadAfter = measure.Load()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := draw(o.plots, charts); err != nil {
		return err
	}
	if err := write(r, o.output); err != nil {
		return err
	}
	if len(r.Missed) > 0 {
		return fmt.Errorf("%d groups of scenarios could not be measured", len(r.Missed))
	}
	return nil
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	flags.IntVar(&o.rounds, "rounds", 5, "`number` of values of each figure, for Hub and for its baseline")
	flags.BoolVar(&o.short, "short", false, "a smoke run of about a minute, whose figures mean nothing")
	flags.StringVar(&o.only, "only", "", "comma-separated `numbers` of scenarios; others of their groups run too")
	flags.StringVar(&o.output, "o", "table", "`form` of the report: table, markdown or json")
	flags.StringVar(&o.bin, "bin", "", "`folder` of the services' binaries; empty: where this program is")
	flags.StringVar(&o.plots, "plots", "", "`folder` for the plots; empty: none are drawn")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 || o.rounds < 1 {
		return o, fmt.Errorf("usage: bench [flags], with at least one round")
	}
	if o.short {
		o.rounds = 1
	}
	if o.bin == "" {
		self, err := os.Executable()
		if err != nil {
			return o, err
		}
		o.bin = filepath.Dir(self)
	}
	return o, nil
}

func numbers(list string) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	var all []int
	for part := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("-only: %q is no number of a scenario", part)
		}
		all = append(all, n)
	}
	return all, nil
}

func machine(ctx context.Context) report.Machine {
	m := report.Machine{
		CPUs: runtime.NumCPU(), Model: measure.Model(), MemoryGiB: measure.Memory() / (1 << 30),
		Go: runtime.Version(), Postgres: measure.PostgresVersion(ctx), LoadBefore: measure.Load(),
	}
	if took, err := measure.Fsync("/var/tmp"); err == nil {
		m.FsyncMicros = float64(took.Microseconds())
	}
	return m
}

func draw(dir string, charts []plot.Chart) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, c := range charts {
		f, err := os.Create(filepath.Join(dir, c.Name+".svg"))
		if err != nil {
			return err
		}
		if _, err := c.WriteTo(f); err != nil {
			_ = f.Close()
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

func write(r report.Report, form string) error {
	switch form {
	case "table":
		return r.Table(os.Stdout)
	case "markdown":
		return r.Markdown(os.Stdout)
	case "json":
		return r.JSON(os.Stdout)
	default:
		return fmt.Errorf("-o: %q is none of table, markdown, json", form)
	}
}

// baseline is this program as a baseline: bench baseline NAME ARGS.
func baseline(ctx context.Context, args []string) error {
	name, args := args[0], args[1:]
	switch {
	case name == "rest" && len(args) == 1:
		return rest.ServePostgres(ctx, args[0])
	case name == "sqlite" && len(args) == 1:
		return rest.ServeSQLite(ctx, args[0])
	case name == "sse" && len(args) == 1:
		interval, err := time.ParseDuration(args[0])
		if err != nil {
			return err
		}
		return sse.Serve(ctx, interval)
	case name == "push" && len(args) == 2:
		return push.Serve(ctx, args[0], args[1])
	default:
		return fmt.Errorf("there is no baseline %s with %d arguments", name, len(args))
	}
}
