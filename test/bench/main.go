// Command bench measures Hub against small honest baselines in the same run, and prints one table. It
// starts PostgreSQL, Redis, the services' binaries (expected beside itself) and the baselines, all on
// loopback, and ends them. Its exit code tells whether everything was measured, not whether it holds.
//
//	bench [flags]           measure; -h lists the flags
//	bench embed NAME FILE   put standard input between the marks of a name in a Markdown file
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"example.com/hub/test/bench/internal/baseline/push"
	"example.com/hub/test/bench/internal/baseline/rest"
	"example.com/hub/test/bench/internal/baseline/sse"
	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/plot"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/scenario"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	run := bench
	args := os.Args[1:]
	switch {
	case len(args) > 1 && args[0] == "baseline":
		run, args = baseline, args[1:]
	case len(args) > 0 && args[0] == "embed":
		run, args = embed, args[1:]
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
	rounds                                  int
	short                                   bool
	only, output, bin, plots, doc, profiles string
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
	for _, dir := range []string{o.plots, o.profiles} {
		if dir == "" {
			continue
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	began := time.Now()
	r := report.Report{Began: began, Rounds: o.rounds, Short: o.short, Machine: machine(ctx)}
	result := scenario.Run(ctx, scenario.Env{
		Bin: o.bin, Rounds: o.rounds, Short: o.short, Only: only, Plots: o.plots != "", Profiles: o.profiles,
		Progress: func(format string, args ...any) {
			fmt.Fprintf(os.Stderr, "%5.0f s  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
		},
	})
	r.Rows, r.Took = result.Rows, time.Since(began)
	r.Machine.LoadAfter = measure.Load()
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(r.Rows) == 0 {
		return errors.New("-only: there are no such scenarios")
	}
	if err := draw(o.plots, result.Charts); err != nil {
		return err
	}
	if err := write(r, o); err != nil {
		return err
	}
	if n := r.Failures(); n > 0 {
		return fmt.Errorf("%d rows could not be measured", n)
	}
	return nil
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	flags.IntVar(&o.rounds, "rounds", 5, "`number` of values of each figure, for Hub and for its baseline")
	flags.BoolVar(&o.short, "short", false, "a smoke run with reduced sizes, whose figures mean nothing")
	flags.StringVar(&o.only, "only", "", "comma-separated `numbers` of scenarios; what is measured together runs together")
	flags.StringVar(&o.output, "o", "table", "`form` of the report: table, markdown or json")
	flags.StringVar(&o.bin, "bin", "", "`folder` of the services' binaries; empty: where this program is")
	flags.StringVar(&o.plots, "plots", "", "`folder` for the plots; empty: none are drawn")
	flags.StringVar(&o.doc, "doc", "", "Markdown `file` to put the report into, between its marks of the name bench, or with -profile of the name floors; empty: none")
	flags.StringVar(&o.profiles, "profile", "", "`folder` for processor profiles of Hub's services, which cost some speed; empty: none are taken")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 || o.rounds < 1 {
		return o, fmt.Errorf("usage: bench [flags], with at least one round")
	}
	if o.short {
		o.rounds = min(o.rounds, 2)
	}
	if !slices.Contains([]string{"table", "markdown", "json"}, o.output) {
		return o, fmt.Errorf("-o: %q is none of table, markdown, json", o.output)
	}
	if o.doc != "" && (o.short || o.only != "" && o.profiles == "") {
		return o, fmt.Errorf("-doc wants a whole run: without -short, and without -only unless with -profile")
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
		Go: runtime.Version(), Postgres: measure.PostgresVersion(ctx), Redis: measure.RedisVersion(ctx), LoadBefore: measure.Load(),
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
	for _, c := range charts {
		var b bytes.Buffer
		if _, err := c.WriteTo(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, c.Name+".svg"), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// write prints the report, and puts it into the documentation if it is wanted there and whole.
func write(r report.Report, o options) error {
	if o.doc != "" && r.Failures() == 0 {
		// A run with profiles is slower, and says where the time goes.
		name, text := "bench", r.Markdown
		if o.profiles != "" {
			name, text = "floors", r.Floors
		}
		var b strings.Builder
		if err := text(&b); err != nil {
			return err
		}
		if err := report.Embed(o.doc, name, b.String()); err != nil {
			return err
		}
	}
	switch o.output {
	case "markdown":
		return r.Markdown(os.Stdout)
	case "json":
		return r.JSON(os.Stdout)
	default:
		err := r.Table(os.Stdout)
		if err == nil && o.profiles != "" {
			fmt.Println()
			err = r.Floors(os.Stdout)
		}
		return err
	}
}

// embed puts the text of standard input into a Markdown file, as it is: bench embed NAME FILE.
func embed(_ context.Context, args []string) error {
	if len(args) != 2 {
		return errors.New("usage: bench embed NAME FILE")
	}
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	return report.Embed(args[1], args[0], "```\n"+strings.TrimSpace(string(text))+"\n```")
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
