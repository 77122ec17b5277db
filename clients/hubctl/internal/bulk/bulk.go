// Package bulk imports todos from lines of JSON: in batches, with repeats, and from a checkpoint on where an
// earlier run was interrupted.
package bulk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"example.com/hub/clients/hubctl/internal/api"
)

const (
	// batchItems is the largest number of todos that Hub takes in one call.
	batchItems = 500
	// envelope is what stands around the items of a batch, and between them, in bytes.
	envelope = 16 + batchItems
)

// Totals are the counts of an import.
type Totals struct {
	// Lines are those that were read, blank ones too.
	Lines   int64 `json:"lines"`
	Stored  int64 `json:"stored"`
	Stale   int64 `json:"stale"`
	Refused int64 `json:"refused"`
}

// Options say what is imported, and how.
type Options struct {
	Client *api.Client
	// ClientID is the client as which todos are reported.
	ClientID string
	In       io.Reader
	// Checkpoint and Rejects are files, or empty for none.
	Checkpoint, Rejects string
	// BatchBytes bounds the body of a call.
	BatchBytes int
	// RetryFor is how long a call is repeated.
	RetryFor time.Duration
	// Resumed hears at the start from where on an earlier import goes on.
	Resumed func(Totals)
	// Progress hears the totals and the bytes that were read, after each batch.
	Progress func(t Totals, bytes int64)
	// Rejected hears of each line that was refused.
	Rejected func(Reject)
	// Retrying hears of each repeat.
	Retrying func(err error, wait time.Duration)
}

// importer is an import under way.
type importer struct {
	Options
	lines   *lines
	rejects *rejects
	totals  Totals
	// done is where the last batch ends that was answered.
	done place
	// ahead is a line that did not fit into the batch before.
	ahead *line
}

// Run imports. An error leaves a checkpoint, from which the next run goes on; a whole import removes it.
func Run(ctx context.Context, o Options) (Totals, error) {
	i := &importer{Options: o, lines: newLines(o.In, o.BatchBytes-envelope)}
	if err := i.resume(); err != nil {
		return i.totals, err
	}
	err := i.run(ctx)
	if err == nil && o.Checkpoint != "" {
		if err = os.Remove(o.Checkpoint); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return i.totals, errors.Join(err, i.rejects.close())
}

// resume goes on where an earlier run ended.
func (i *importer) resume() error {
	var c checkpoint
	if i.Checkpoint != "" {
		var found bool
		var err error
		if c, found, err = load(i.Checkpoint); err != nil {
			return err
		}
		if found && (c.Hub != i.Client.Base || c.Client != i.ClientID) {
			return fmt.Errorf("the checkpoint %s is of an import as %s to %s", i.Checkpoint, c.Client, c.Hub)
		}
		if found {
			i.done = place{offset: c.Offset, lines: c.Totals.Lines, sum: c.SHA256}
			if err := i.lines.skip(i.done); err != nil {
				return err
			}
			i.totals = c.Totals
			i.Resumed(c.Totals)
		}
	}
	var err error
	i.rejects, err = openRejects(i.Rejects, c.RejectsBytes)
	return err
}

func (i *importer) run(ctx context.Context) error {
	for {
		batch, faults, err := i.batch()
		if err != nil {
			return err
		}
		if len(batch)+len(faults) == 0 {
			return nil
		}
		verdicts := []verdict{}
		if len(batch) > 0 {
			if verdicts, err = i.send(ctx, batch); err != nil {
				return err
			}
		}
		if err := i.count(batch, verdicts, faults); err != nil {
			return err
		}
		i.Progress(i.totals, i.done.offset)
		if err := i.save(); err != nil {
			return err
		}
	}
}

// batch takes lines until Hub would take no more: those for Hub, and those that it need not see.
func (i *importer) batch() (batch, faults []line, err error) {
	size := envelope
	for len(batch) < batchItems && len(faults) < batchItems {
		l, err := i.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if l.fault != "" {
			faults = append(faults, l)
			continue
		}
		if size += len(l.text); size > i.BatchBytes && len(batch) > 0 {
			i.ahead = &l
			break
		}
		batch = append(batch, l)
	}
	return batch, faults, nil
}

func (i *importer) next() (line, error) {
	if l := i.ahead; l != nil {
		i.ahead = nil
		return *l, nil
	}
	return i.lines.next()
}

// count adds what became of a batch to the totals.
func (i *importer) count(batch []line, verdicts []verdict, faults []line) error {
	for n := range batch {
		for len(faults) > 0 && faults[0].number < batch[n].number {
			if err := i.reject(faults[0], faults[0].fault); err != nil {
				return err
			}
			faults = faults[1:]
		}
		switch v := verdicts[n]; {
		case v.reason != "":
			if err := i.reject(batch[n], v.reason); err != nil {
				return err
			}
			continue
		case v.stale:
			i.totals.Stale++
		default:
			i.totals.Stored++
		}
		i.reached(batch[n])
	}
	for _, l := range faults {
		if err := i.reject(l, l.fault); err != nil {
			return err
		}
	}
	return nil
}

func (i *importer) reject(l line, reason string) error {
	one := Reject{Line: l.number, Reason: reason, Text: string(l.text)}
	i.totals.Refused++
	i.Rejected(one)
	i.reached(l)
	return i.rejects.add(one)
}

func (i *importer) reached(l line) {
	i.done = l.last
	i.totals.Lines = l.number
}

// save writes a checkpoint.
func (i *importer) save() error {
	if i.Checkpoint == "" {
		return nil
	}
	return checkpoint{
		Hub: i.Client.Base, Client: i.ClientID, Offset: i.done.offset, SHA256: i.done.sum,
		Totals: i.totals, RejectsBytes: i.rejects.size,
	}.save(i.Checkpoint)
}
