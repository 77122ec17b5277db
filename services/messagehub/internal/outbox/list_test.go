package outbox_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/fault"
	"example.com/hub/services/messagehub/internal/outbox"
)

type ctx = context.Context

// lister is an outbox that does not run.
func lister(t *testing.T, l outbox.Log) *outbox.Outbox {
	t.Helper()
	o, err := outbox.New(outbox.Deps{Log: l, Publisher: newBus(), Subscriber: newBus()})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func list(t *testing.T, o *outbox.Outbox, r outbox.ListRequest) outbox.List {
	t.Helper()
	got, err := o.List(t.Context(), r)
	if err != nil {
		t.Fatalf("list %+v: %v", r, err)
	}
	return got
}

func TestListHasThePartsOfTheBus(t *testing.T) {
	l := newLog()
	var want []bus.Frame
	l.commit(1)
	for _, n := range []int{1, 100, 101, 250} {
		for part := range l.commit(n).Split() {
			want = append(want, part)
		}
	}
	got := list(t, lister(t, l), outbox.ListRequest{After: at(500)})
	equal(t, "list", got, outbox.List{Frames: want, Next: l.watermark(), Watermark: l.watermark()})
}

func TestListHasCommittedRowsAboveTheWatermark(t *testing.T) {
	l := newLog()
	l.commit(1)
	l.begin()
	l.commit(1)
	l.commit(1)
	got := list(t, lister(t, l), outbox.ListRequest{After: bus.Position{Transaction: 500}})
	equal(t, "rows", positions(got.Frames), []bus.Position{at(500), at(502), at(503)})
	equal(t, "next", got.Next, bus.Position{Transaction: 501})
	equal(t, "watermark", got.Watermark, bus.Position{Transaction: 501})
	equal(t, "more", got.More, false)
}

func TestListIsCutBetweenRows(t *testing.T) {
	l := newLog()
	for _, n := range []int{9000, 1000, 1, 20_000, 9999, 1, 1} {
		l.commit(n)
	}
	o := lister(t, l)
	after := at(1)
	var answers [][]bus.Position
	for {
		got := list(t, o, outbox.ListRequest{After: after})
		var rows []bus.Position
		for _, f := range got.Frames {
			if f.Part == 0 {
				rows = append(rows, f.Position)
			}
		}
		answers = append(answers, rows)
		if !got.More {
			equal(t, "last next", got.Next, l.watermark())
			break
		}
		equal(t, "next", got.Next, rows[len(rows)-1])
		after = got.Next
	}
	equal(t, "answers", answers, [][]bus.Position{
		{at(500), at(501)}, {at(502)}, {at(503)}, {at(504), at(505)}, {at(506)},
	})
}

func TestListOfManySmallRowsIsCut(t *testing.T) {
	l := newLog()
	for range 5001 {
		l.commit(1)
	}
	o := lister(t, l)
	first := list(t, o, outbox.ListRequest{After: at(1)})
	second := list(t, o, outbox.ListRequest{After: first.Next})
	if len(first.Frames) != 5000 || !first.More || len(second.Frames) != 1 || second.More {
		t.Errorf("answers of %d and %d rows, more %v and %v", len(first.Frames), len(second.Frames), first.More, second.More)
	}
}

func TestListOfTheLastWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		for range 4 {
			l.commit(1)
			pass(time.Minute)
		}
		o := lister(t, l)
		for recent, want := range map[time.Duration]int{
			0: 0, 59 * time.Second: 0, 61 * time.Second: 1, 3*time.Minute - time.Second: 2, 10 * time.Minute: 4,
		} {
			got := list(t, o, outbox.ListRequest{Recent: recent})
			equal(t, "rows of "+recent.String(), len(got.Frames), want)
			equal(t, "next of "+recent.String(), got.Next, l.watermark())
		}
		// A position that this database has not reached is one of another: what is recent is listed.
		got := list(t, o, outbox.ListRequest{After: at(1 << 40)})
		equal(t, "rows for a foreign position", len(got.Frames), 4)
		pass(10 * time.Minute)
		got = list(t, o, outbox.ListRequest{After: at(1 << 40)})
		equal(t, "old rows for a foreign position", len(got.Frames), 0)
	})
}

func TestListChecksItsRange(t *testing.T) {
	for _, o := range []*outbox.Outbox{lister(t, newLog()), lister(t, nil)} {
		for _, recent := range []time.Duration{-time.Second, 10*time.Minute + time.Second} {
			_, err := o.List(t.Context(), outbox.ListRequest{Recent: recent})
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("recent %v: %v, want a fault of kind Invalid", recent, err)
			}
		}
	}
}

func TestListPassesFailuresOn(t *testing.T) {
	l := newLog()
	l.err = fault.New(fault.Unavailable, "the database is busy")
	for _, r := range []outbox.ListRequest{{After: at(1)}, {Recent: time.Second}} {
		if _, err := lister(t, l).List(t.Context(), r); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%+v: %v, want the store's", r, err)
		}
	}
}
