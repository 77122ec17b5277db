package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"example.com/hub/clients/hubctl/internal/bulk"
	"example.com/hub/clients/hubctl/internal/show"
)

const importLong = `import reports the todos of a file, a JSON object in each line with the fields of todo upsert.
- is standard input.

They go in batches of 500, in the order of the file. Where Hub is away or busy, a batch is
repeated for as long as --retry-for says. How far it came stands in FILE.checkpoint: an import
that was interrupted, even killed, goes on there when it is called again. Nothing is lost or
counted twice; a batch that is sent twice changes nothing. A whole import removes it.

A line that is refused does not stop the others. It goes into FILE.rejects with its number and
the reason, and the exit code is 1. Mended lines are a file for another import.

Standard input has no checkpoint and no file of rejects unless --checkpoint and --rejects name
them. With a checkpoint the input must be the same again.`

const importExample = `  hubctl import todos.ndjson
  pg_dump_todos | hubctl import -
  hubctl import todos.ndjson -o json --retry-for 1h`

// imported is what became of an import.
type imported struct {
	bulk.Totals
	// Resumed tells whether it went on from a checkpoint.
	Resumed bool    `json:"resumed"`
	Rejects string  `json:"rejects,omitempty"`
	Seconds float64 `json:"seconds"`
}

const (
	suffixCheckpoint = ".checkpoint"
	suffixRejects    = ".rejects"
	// shownRejects are how many refused lines are told at once; all are in the file.
	shownRejects = 10
	// leastBatch bounds --batch-bytes, which must hold a todo at its limits.
	leastBatch = 64 << 10
)

func (a *App) importTodos() *cobra.Command {
	var o bulk.Options
	var restart bool
	c := &cobra.Command{
		Use: "import FILE", Short: "Report the todos of a file, in batches", Args: takes, Long: importLong, Example: importExample,
		RunE: func(c *cobra.Command, args []string) error { return a.runImport(c.Context(), args[0], o, restart) },
	}
	c.Flags().StringVar(&o.Checkpoint, "checkpoint", "", "file that says how far the import came; FILE"+suffixCheckpoint+" by default")
	c.Flags().StringVar(&o.Rejects, "rejects", "", "file for refused lines; FILE"+suffixRejects+" by default")
	c.Flags().BoolVar(&restart, "restart", false, "begin anew instead of at the checkpoint")
	c.Flags().IntVar(&o.BatchBytes, "batch-bytes", 3<<20, "largest body of a call; less than HUB_MAX_BODY")
	c.Flags().DurationVar(&o.RetryFor, "retry-for", 5*time.Minute, "how long a batch is repeated while Hub is away or busy")
	return c
}

func (a *App) runImport(ctx context.Context, name string, o bulk.Options, restart bool) error {
	if o.BatchBytes < leastBatch {
		return fmt.Errorf("--batch-bytes must be %d or more", leastBatch)
	}
	p, err := a.chosen()
	if err != nil {
		return err
	}
	if o.Client, err = a.clientOf(p); err != nil {
		return err
	}
	o.ClientID, o.In = p.ClientID, a.In
	size := int64(0)
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		if info, err := file.Stat(); err == nil {
			size = info.Size()
		}
		o.In = io.Reader(file)
		if o.Checkpoint == "" {
			o.Checkpoint = name + suffixCheckpoint
		}
		if o.Rejects == "" {
			o.Rejects = name + suffixRejects
		}
	}
	if restart && o.Checkpoint != "" {
		if err := os.Remove(o.Checkpoint); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return a.importAs(ctx, o, size)
}

// importAs imports a file of a size in bytes, 0 if that is not known, and tells how it goes.
func (a *App) importAs(ctx context.Context, o bulk.Options, size int64) error {
	bar := a.newBar(size)
	done := imported{}
	shown := 0
	o.Resumed = func(t bulk.Totals) {
		done.Resumed = true
		bar.note("goes on behind line %d", t.Lines)
	}
	o.Progress = func(t bulk.Totals, bytes int64) { bar.draw(t.Lines, bytes) }
	o.Rejected = func(r bulk.Reject) {
		switch shown++; {
		case shown <= shownRejects:
			bar.note("line %d: %s", r.Line, r.Reason)
		case shown == shownRejects+1:
			bar.note("more lines are refused")
		}
	}
	o.Retrying = func(err error, wait time.Duration) {
		bar.note("%s; again in %s", firstLine(words(err)), wait.Round(100*time.Millisecond))
	}
	totals, err := bulk.Run(ctx, o)
	bar.clear()
	done.Totals, done.Seconds = totals, bar.took().Seconds()
	if totals.Refused > 0 {
		done.Rejects = o.Rejects
	}
	if err != nil {
		if o.Checkpoint != "" && totals.Lines > 0 {
			a.note("%d lines are done; the same call goes on behind them", totals.Lines)
		}
		return err
	}
	if err := a.print(done, func(show.Terminal) error { a.showImported(done); return nil }); err != nil {
		return err
	}
	if totals.Refused > 0 {
		return errTold
	}
	return nil
}

func (a *App) showImported(done imported) {
	a.say("%d stored, %d stale, %d refused, in %s.", done.Stored, done.Stale, done.Refused,
		time.Duration(done.Seconds*float64(time.Second)).Round(100*time.Millisecond))
	if done.Rejects != "" {
		a.say("The refused lines are in %s.", show.Text(done.Rejects))
	}
}
