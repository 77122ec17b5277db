// Package bustest is what every event bus must do, as tests.
package bustest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"example.com/hub/pkg/bus"
)

// patience bounds every wait; only a broken bus uses it up.
const patience = 20 * time.Second

// Run checks a bus. open gives a fresh one, which nobody else uses, and registers its closing with
// t.Cleanup; closing must leave no goroutine behind.
func Run(t *testing.T, open func(t *testing.T) (bus.Publisher, bus.Subscriber)) {
	t.Helper()
	tests := map[string]func(*testing.T, bus.Publisher, bus.Subscriber){
		"events_arrive_in_order":                  order,
		"every_subscriber_hears_everything":       everySubscriber,
		"cancel_stops_one_subscriber":             cancelStops,
		"a_big_publication_arrives_in_parts":      big,
		"a_repeat_arrives_in_the_same_parts":      repeat,
		"watermarks_arrive_between_the_frames":    watermarks,
		"concurrent_publishers_lose_nothing":      concurrent,
		"names_and_ids_arrive_byte_by_byte":       unicode,
		"an_empty_publication_is_not_heard":       empty,
		"an_ended_context_does_not_stop_an_event": endedContext,
		"the_longest_names_and_ids_arrive":        longest,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			leaked := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, leaked) })
			p, s := open(t)
			test(t, p, s)
		})
	}
}

func order(t *testing.T, p bus.Publisher, s bus.Subscriber) {
	l := listen(t, s)
	var want []bus.Event
	for i := range 500 {
		frame := events(fmt.Sprintf("f%d-", i), 1+i%3)
		publish(t, p, frame)
		want = append(want, frame...)
	}
	l.expect(t, want)
}

func everySubscriber(t *testing.T, p bus.Publisher, s bus.Subscriber) {
	first, second, third := listen(t, s), listen(t, s), listen(t, s)
	want := events("e", 250)
	publish(t, p, want)
	first.expect(t, want)
	second.expect(t, want)
	third.expect(t, want)
}

func cancelStops(t *testing.T, p bus.Publisher, s bus.Subscriber) {
	stopped, stays := listen(t, s), listen(t, s)
	before, after := events("before", 3), events("after", 3)
	publish(t, p, before)
	stopped.expect(t, before)
	stopped.cancel()
	publish(t, p, after)
	stays.expect(t, append(before, after...))
	stopped.expect(t, before)
}

// big checks the parts one by one: a repeat in other parts would not be known as one.
func big(t *testing.T, p bus.Publisher, s bus.Subscriber) {
	l := listen(t, s)
	all := events("big", 10_050)
	row := bus.Position{Transaction: 1<<63 + 1, Sequence: 7}
	p.Publish(t.Context(), bus.Frame{Position: row, Events: all})
	p.Publish(t.Context(), bus.Frame{Position: row, Part: 101, Events: all[:150]})
	l.wait(t, len(all)+150)

	var want []bus.Frame
	for part := range 100 {
		want = append(want, bus.Frame{Position: row, Part: part, Events: all[part*100:][:100]})
	}
	want = append(want,
		bus.Frame{Position: row, Part: 100, Events: all[10_000:]},
		bus.Frame{Position: row, Part: 101, Events: all[:100]},
		bus.Frame{Position: row, Part: 102, Events: all[100:150]},
	)
	if diff := cmp.Diff(want, l.frames()); diff != "" {
		t.Errorf("heard frames (-want +got):\n%s", diff)
	}
}

func repeat(t *testing.T, p bus.Publisher, s bus.Subscriber) {
	l := listen(t, s)
	f := bus.Frame{Position: bus.Position{Transaction: 9, Sequence: 1}, Events: events("again", 250)}
	for range 2 {
		publish(t, p, events("between", 3)) // must not fill up a part
		p.Publish(t.Context(), f)
	}
	l.wait(t, 2*(3+250))
	heard := l.frames()
	if diff := cmp.Diff(heard[:len(heard)/2], heard[len(heard)/2:]); diff != "" {
		t.Errorf("repeated frames (-first +second):\n%s", diff)
	}
}

func watermarks(t *testing.T, p bus.Publisher, s bus.Subscriber) {
	l := listen(t, s)
	watermark := func(n uint64) bus.Frame { return bus.Frame{Watermark: bus.Position{Transaction: n}} }
	frame := func(n uint64) bus.Frame {
		return bus.Frame{
			Position: bus.Position{Transaction: n, Sequence: int64(n)}, Events: events(fmt.Sprint(n, "-"), 2),
		}
	}
	want := []bus.Frame{watermark(1), frame(1), watermark(2), watermark(3), frame(3), frame(2)}
	for _, f := range want {
		p.Publish(t.Context(), f)
	}
	l.wait(t, 6)
	if diff := cmp.Diff(want, l.frames()); diff != "" {
		t.Errorf("heard frames (-want +got):\n%s", diff)
	}
}

func concurrent(t *testing.T, p bus.Publisher, s bus.Subscriber) {
	const publishers, frames, size = 8, 50, 7
	l := listen(t, s)
	var wg sync.WaitGroup
	for n := range publishers {
		wg.Go(func() {
			for f := range frames {
				publish(t, p, events(fmt.Sprintf("p%d|%03d-", n, f), size))
			}
		})
	}
	wg.Wait()

	got := map[string][]bus.Event{}
	for _, e := range l.wait(t, publishers*frames*size) {
		publisher, _, _ := strings.Cut(e.ID, "|")
		got[publisher] = append(got[publisher], e)
	}
	want := map[string][]bus.Event{}
	for n := range publishers {
		for f := range frames {
			key := fmt.Sprintf("p%d", n)
			want[key] = append(want[key], events(fmt.Sprintf("p%d|%03d-", n, f), size)...)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events per publisher (-want +got):\n%s", diff)
	}
}

func unicode(t *testing.T, p bus.Publisher, s bus.Subscriber) {
	l := listen(t, s)
	names := []string{
		"é", "e\u0301", "李雷", "👩\u200d👩\u200d👧", "\u202eolleh", "a b", `"quoted"\`, "%2F/../", "\u2028",
	}
	var want []bus.Event
	for i, name := range names {
		e := event(name)
		e.User = names[len(names)-1-i]
		want = append(want, e)
	}
	publish(t, p, want)
	l.expect(t, want)
}

func empty(t *testing.T, p bus.Publisher, s bus.Subscriber) {
	l := listen(t, s)
	p.Publish(t.Context(), bus.Frame{})
	publish(t, p, []bus.Event{})
	p.Publish(t.Context(), bus.Frame{Position: bus.Position{Transaction: 1, Sequence: 1}, Part: 1})
	want := events("after", 1)
	publish(t, p, want)
	l.expect(t, want)
}

func endedContext(t *testing.T, p bus.Publisher, s bus.Subscriber) {
	l := listen(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	want := events("committed", 2)
	p.Publish(ctx, bus.Frame{Events: want})
	l.expect(t, want)
}

func longest(t *testing.T, p bus.Publisher, s bus.Subscriber) {
	l := listen(t, s)
	want := events(strings.Repeat("💌", 255), 300)
	publish(t, p, want)
	l.expect(t, want)
}

// publish publishes events as a sender does that keeps no log.
func publish(t *testing.T, p bus.Publisher, events []bus.Event) {
	p.Publish(t.Context(), bus.Frame{Events: events})
}

// events makes n events whose ids start with prefix.
func events(prefix string, n int) []bus.Event {
	out := make([]bus.Event, n)
	for i := range out {
		out[i] = event(fmt.Sprintf("%s%05d", prefix, i))
		if i%2 == 1 {
			out[i].Kind = bus.Read
		}
	}
	return out
}

func event(id string) bus.Event {
	return bus.Event{
		Kind: bus.Message,
		User: "user of " + id,
		ID:   id,
		Time: time.UnixMilli(1_700_000_000_123),
	}
}
