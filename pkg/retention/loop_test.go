package retention_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/retention"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/telemetrytest"
)

// script is a store that answers what a test says, and then that nothing is left.
type script struct {
	mu      sync.Mutex
	answers []answer
	asked   []retention.Batch
	at      []time.Time
}

type answer struct {
	result retention.Result
	err    error
	took   time.Duration
}

func (s *script) RemoveOld(ctx context.Context, b retention.Batch) (retention.Result, error) {
	if ctx.Err() != nil {
		return retention.Result{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.at = append(s.asked, b), append(s.at, time.Now())
	if len(s.answers) == 0 {
		return retention.Result{Done: true}, nil
	}
	next := s.answers[0]
	s.answers = s.answers[1:]
	<-time.After(next.took) // of the fake clock
	return next.result, next.err
}

// afters are where the batches began.
func (s *script) afters() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, b := range s.asked {
		all = append(all, b.After)
	}
	return all
}

const keep = retention.Age(30 * 24 * time.Hour)

// run runs a loop for a while.
func run(t *testing.T, s *script, age retention.Age, during time.Duration) *retention.Loop {
	t.Helper()
	l := retention.New(retention.Deps{
		Area: "todo", Store: s, Keep: age, Logger: slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithTimeout(t.Context(), during)
	defer cancel()
	if err := l.Run(ctx); err != nil {
		t.Errorf("run: %v", err)
	}
	return l
}

func TestLoopIsOffByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{}
		run(t, s, 0, 24*time.Hour)
		if len(s.asked) > 0 {
			t.Errorf("asked %d times", len(s.asked))
		}
	})
}

func TestLoopWalksToTheEndAndRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s := &script{answers: []answer{
			{result: retention.Result{Removed: 1000, Next: ""}},
			{result: retention.Result{Removed: 3, Next: "ann"}, took: time.Second},
			{result: retention.Result{Next: "bob"}},
			{result: retention.Result{Removed: 4, Done: true}},
		}}
		l := run(t, s, keep, 30*time.Minute)
		if diff := cmp.Diff([]string{"", "", "ann", "bob"}, s.afters()); diff != "" {
			t.Errorf("began behind (-want +got):\n%s", diff)
		}
		if first := s.at[0].Sub(began); first >= time.Minute {
			t.Errorf("the first batch came after %v", first)
		}
		if rest := s.at[2].Sub(s.at[1]); rest != 5*time.Second {
			t.Errorf("after a batch of 1s the next one came %v after its beginning, want 5s", rest)
		}
		if rest := s.at[3].Sub(s.at[2]); rest < 10*time.Millisecond || rest > time.Second {
			t.Errorf("the pause is %v", rest)
		}
		if age := s.at[3].Sub(s.asked[3].Before); age < time.Duration(keep) || age > time.Duration(keep)+time.Minute {
			t.Errorf("removed what is older than %v", age)
		}
		want := retention.Stats{Removed: 1007, Finished: s.at[3].Unix(), Keep: keep}
		got := l.Stats()
		if got.Overdue < 29*time.Minute || got.Overdue > 30*time.Minute {
			t.Errorf("%v after its beginning the pass leaves entries that are %v over their age", time.Since(s.at[0]), got.Overdue)
		}
		got.Overdue = 0
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("stats (-want +got):\n%s", diff)
		}
	})
}

func TestLoopComesBackEveryHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{}
		run(t, s, keep, 24*time.Hour)
		if n := len(s.asked); n < 23 || n > 24 {
			t.Errorf("%d passes in a day", n)
		}
		first, last := s.asked[0].Before, s.asked[len(s.asked)-1].Before
		if last.Sub(first) < 22*time.Hour {
			t.Errorf("the age is counted from %v in the last pass, and from %v in the first", last, first)
		}
	})
}

// database removes 1,000 entries of a user in 60 ms, and each second more grow old.
type database struct {
	began        time.Time
	perSecond    int
	first        int // entries that are old in the beginning
	removed, got int // in all, and in this pass
	most         int // of this pass
}

// old is the number of entries that have been old since a time or before.
func (d *database) old(since time.Time) int {
	return d.first + int(since.Sub(d.began).Seconds()*float64(d.perSecond))
}

func (d *database) RemoveOld(_ context.Context, b retention.Batch) (retention.Result, error) {
	if b.After == "" {
		d.got, d.most = 0, d.old(b.Before.Add(time.Duration(keep)))-d.removed
	}
	n := min(b.Rows, d.most-d.got)
	<-time.After(time.Duration(n) * 60 * time.Microsecond)
	d.removed, d.got = d.removed+n, d.got+n
	return retention.Result{Removed: n, Next: "ann", Done: d.got == d.most}, nil
}

// TestLoopKeepsPace has as many entries grow old as a company of 10 million users has, beside ten million
// that are old, and less than that.
func TestLoopKeepsPace(t *testing.T) {
	for name, tt := range map[string]struct {
		perSecond, first int
		overdue          time.Duration
	}{"many": {6900, 10_000_000, 3 * time.Hour}, "few": {500, 0, 70 * time.Minute}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &database{began: time.Now(), perSecond: tt.perSecond, first: tt.first}
				l := retention.New(retention.Deps{Area: "todo", Store: d, Keep: keep, Logger: slog.New(slog.DiscardHandler)})
				ctx, cancel := context.WithTimeout(t.Context(), 12*time.Hour)
				defer cancel()
				if err := l.Run(ctx); err != nil {
					t.Error(err)
				}
				late := time.Duration(d.old(time.Now())-d.removed) * time.Second / time.Duration(d.perSecond)
				if late > tt.overdue {
					t.Errorf("the oldest entry is %v over its age", late)
				}
				if got := l.Stats().Overdue; got < late.Truncate(time.Minute)-time.Minute || got > tt.overdue+time.Hour {
					t.Errorf("overdue is %v, and the oldest entry %v over its age", got, late)
				}
			})
		})
	}
}

func TestLoopGoesOnWhereItFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{
			{result: retention.Result{Next: "ann"}},
			{err: errors.New("away")},
			{err: errors.New("away")},
		}}
		l := run(t, s, keep, 30*time.Minute)
		if diff := cmp.Diff([]string{"", "ann", "ann", "ann"}, s.afters()); diff != "" {
			t.Errorf("began behind (-want +got):\n%s", diff)
		}
		if pause := s.at[2].Sub(s.at[1]); pause != time.Minute {
			t.Errorf("tried again after %v", pause)
		}
		// A batch that was too much is tried with half as much, and the next one is whole again.
		rows := []int{1000, 1000, 500, 250}
		for i, b := range s.asked {
			if b.Rows != rows[i] {
				t.Errorf("batch %d has up to %d rows, want %d", i, b.Rows, rows[i])
			}
		}
		if st := l.Stats(); st.Errors != 2 || st.Finished == 0 {
			t.Errorf("stats = %+v, want 2 errors and a pass that was finished", st)
		}
	})
}

func TestLoopLeavesThePassToWhoeverIsAtIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{
			{result: retention.Result{Next: "ann"}},
			{result: retention.Result{Busy: true}},
		}}
		l := run(t, s, keep, 90*time.Minute)
		if diff := cmp.Diff([]string{"", "ann", ""}, s.afters()); diff != "" {
			t.Errorf("began behind (-want +got):\n%s", diff)
		}
		if pause := s.at[2].Sub(s.at[1]); pause < time.Hour {
			t.Errorf("came back after %v", pause)
		}
		if st := l.Stats(); st.Errors != 0 || st.Finished != s.at[2].Unix() {
			t.Errorf("stats = %+v, want only the second pass finished", st)
		}
	})
}

func TestLoopFinishesItsBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{{result: retention.Result{Removed: 7, Next: "ann"}, took: 2 * time.Minute}}}
		l := run(t, s, keep, 70*time.Second) // ends while the batch is under way
		if st := l.Stats(); st.Removed != 7 || st.Errors != 0 {
			t.Errorf("stats = %+v, want the 7 of the running batch", st)
		}
		if len(s.asked) != 1 {
			t.Errorf("%d batches, want none after the end", len(s.asked))
		}
	})
}

func TestProgress(t *testing.T) {
	b := retention.Batch{After: "aaa", Users: 2, Rows: 2}
	for _, tt := range []struct {
		name          string
		users, owners []string
		want          retention.Result
	}{
		{"more of the first user", []string{"ann", "bob"}, []string{"ann", "ann"}, retention.Result{Removed: 2, Next: "aaa"}},
		{"more of the second user", []string{"ann", "bob"}, []string{"bob", "ann"}, retention.Result{Removed: 2, Next: "ann"}},
		{"more of the last user", []string{"zoe"}, []string{"zoe", "zoe"}, retention.Result{Removed: 2, Next: "aaa"}},
		{"more users", []string{"ann", "bob"}, []string{"ann"}, retention.Result{Removed: 1, Next: "bob"}},
		{"the last user", []string{"ann"}, []string{"ann"}, retention.Result{Removed: 1, Done: true}},
		{"nobody", nil, nil, retention.Result{Done: true}},
	} {
		if diff := cmp.Diff(tt.want, b.Progress(tt.users, tt.owners)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestMeasure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := telemetry.New()
		s := &script{answers: []answer{{err: errors.New("away")}, {result: retention.Result{Removed: 7, Done: true}}}}
		run(t, s, keep, 30*time.Minute).Measure(r)
		retention.New(retention.Deps{Area: "message", Store: &script{}}).Measure(r) // one process may have both
		want := []string{
			`hub_retention_errors_total{area="message"} 0`,
			`hub_retention_errors_total{area="todo"} 1`,
			`hub_retention_keep_seconds{area="message"} 0`,
			`hub_retention_keep_seconds{area="todo"} 2.592e+06`,
			`hub_retention_last_success_timestamp_seconds{area="message"} 0`,
			`hub_retention_last_success_timestamp_seconds{area="todo"} 9.46684`,
			`hub_retention_overdue_seconds{area="message"} 0`,
			`hub_retention_overdue_seconds{area="todo"} 1`,
			`hub_retention_removed_total{area="message"} 0`,
			`hub_retention_removed_total{area="todo"} 7`,
		}
		got := telemetrytest.Scrape(r, "hub_retention_")
		for _, i := range []int{5, 7} {
			if len(got) == len(want) && strings.HasPrefix(got[i], want[i]) {
				want[i] = got[i] // the fake clock begins in the year 2000, and the first pass within a minute
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
