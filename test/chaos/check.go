package chaos

import (
	"fmt"
	"slices"
	"time"
)

// promise is what users may rely on in a test.
type promise struct {
	// within bounds the time from the answer to the event.
	within time.Duration
	// from moves the beginning of that time, for what was answered during a fault; nil leaves it.
	from func(answered time.Time) time.Time
	// repeats is how often an event may come again.
	repeats int
}

// sight is an event that was seen: when its call was sent and answered, and when that was.
type sight struct{ sent, answered, came time.Time }

// delay is the time from the answer to the event, which may come first.
func (s sight) delay() time.Duration { return max(0, s.came.Sub(s.answered)) }

// finding is what became of the deeds.
type finding struct {
	// events is how many events the deeds owe.
	events int
	// seen are the events that came, or were fetched.
	seen []sight
	// refetched counts events whose users were told to look for themselves before they came, or instead.
	refetched int
	// repeated counts events that came again.
	repeated int
	// lost, late, unstored, strange and tooOften break promises; each entry names one event or record.
	lost, late, unstored, strange, tooOften []string
}

// faults gives what broke the promises, a few of each kind.
func (f finding) faults() []string {
	var all []string
	for _, kind := range []struct {
		what  string
		cases []string
	}{
		{"lost", f.lost},
		{"late", f.late},
		{"answered but not stored", f.unstored},
		{"at the wrong user, or of no message", f.strange},
		{"repeated too often", f.tooOften},
	} {
		if n := len(kind.cases); n > 0 {
			all = append(all, fmt.Sprintf("%d of %d events %s, such as %v", n, f.events, kind.what, kind.cases[:min(n, 5)]))
		}
	}
	return all
}

// String sums up.
func (f finding) String() string {
	return fmt.Sprintf("%d events, median %v, p99 %v, longest %v; %d repeated, %d by refetch",
		f.events, f.delay(0.5), f.delay(0.99), f.delay(1), f.repeated, f.refetched)
}

// delay gives a quantile of the delays.
func (f finding) delay(quantile float64) time.Duration {
	all := make([]time.Duration, len(f.seen))
	for i, s := range f.seen {
		all[i] = s.delay()
	}
	return ofQuantile(all, quantile)
}

// ofQuantile gives a quantile of durations, 0 if there are none. It sorts them.
func ofQuantile(all []time.Duration, quantile float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[int(quantile*float64(len(all)-1))].Round(100 * time.Microsecond)
}

// check compares what was answered with what each user's tab saw. inboxes has the records of each user:
// the id of each, and that of its message.
func check(deeds []deed, tabs map[string]*tab, inboxes map[string]map[string]string, p promise) finding {
	var f finding
	byUser := map[string][]deed{}
	for _, d := range deeds {
		for _, user := range d.users {
			byUser[user] = append(byUser[user], d)
		}
	}
	for user, t := range tabs {
		c := newChecker(user, inboxes[user])
		c.see(t.seen(), p, &f)
		hints := c.hints(byUser[user])
		for _, d := range byUser[user] {
			c.expect(d, hints, p, &f)
		}
	}
	return f
}

// checker looks at one user.
type checker struct {
	user    string
	message map[string]string // by record
	record  map[string]string // by message
	first   map[string]event  // by kind and id
	resumes []event
}

func newChecker(user string, inbox map[string]string) *checker {
	c := &checker{user: user, message: inbox, record: map[string]string{}, first: map[string]event{}}
	for record, message := range inbox {
		c.record[message] = record
	}
	return c
}

// see takes in the events of the user's tab.
func (c *checker) see(events []event, p promise, f *finding) {
	times := map[string]int{}
	for _, e := range events {
		name := e.kind + " " + e.id
		own := c.record[e.id] != ""
		if e.kind == "message" {
			own = c.message[e.id] != ""
		}
		if !own {
			f.strange = append(f.strange, c.user+" got "+name)
		}
		if _, known := c.first[name]; !known {
			c.first[name] = e
		}
		if e.resumes && e.kind == "message" {
			c.resumes = append(c.resumes, e)
		}
		if times[name]++; times[name] > 1 {
			f.repeated++
		}
		if times[name] == p.repeats+2 {
			f.tooOften = append(f.tooOften, c.user+" got "+name)
		}
	}
}

// hints are the times at which the portal was told to fetch its lists: by the newest message, right
// after a connect that sent an id which Hub does not know any more. The lists then have whatever was
// answered before.
func (c *checker) hints(deeds []deed) []time.Time {
	var hints []time.Time
	for _, e := range c.resumes {
		i := slices.IndexFunc(deeds, func(d deed) bool { return d.kind == "message" && d.id == c.message[e.id] })
		newest := i >= 0 && !slices.ContainsFunc(deeds, func(d deed) bool {
			return d.kind == "message" && d.sent.After(deeds[i].answered) && d.answered.Before(e.at)
		})
		if newest {
			hints = append(hints, e.at)
		}
	}
	return hints
}

// expect notes what became of a deed's event.
func (c *checker) expect(d deed, hints []time.Time, p promise, f *finding) {
	f.events++
	id := d.id
	if d.kind == "message" {
		if id = c.record[d.id]; id == "" {
			f.unstored = append(f.unstored, c.name(d))
			return
		}
	}
	from := d.answered
	if p.from != nil {
		from = p.from(from)
	}
	e, came := c.first[d.kind+" "+id]
	if told := slices.IndexFunc(hints, d.answered.Before); told >= 0 && (!came || hints[told].Before(e.at)) {
		e.at = hints[told]
		f.refetched++
	} else if !came {
		f.lost = append(f.lost, fmt.Sprintf("%s, answered %s", c.name(d), d.answered.Format(clock)))
		return
	}
	f.seen = append(f.seen, sight{d.sent, d.answered, e.at})
	if delay := e.at.Sub(from); delay > p.within {
		f.late = append(f.late, fmt.Sprintf("%s after %v, answered %s", c.name(d), delay.Round(time.Millisecond), d.answered.Format(clock)))
	}
}

// clock is the form of times.
const clock = "15:04:05.000"

// name is the name of a deed's event at the user.
func (c *checker) name(d deed) string { return d.kind + " " + d.id + " of " + c.user }
