package scenario

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"example.com/hub/test/bench/internal/load"
	"example.com/hub/test/bench/internal/measure"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/share"
	"example.com/hub/test/bench/internal/stage"
)

// side is a server under load.
type side struct {
	addr, token string
	pids        []int
	// services are its processes for profiles.
	services []stage.Service
	// postgres and redis are what works for it; 0 where there is none.
	postgres, redis int
}

// distributed is Hub with an edge and a hub.
func distributed(s *stage.Stage, hub string) side {
	pids := map[string]int{"todohub": s.TodohubPID, "messagehub": s.MessagehubPID}
	return side{s.Edge, s.Token, []int{s.EdgePID, pids[hub]}, s.Both(hub), s.PostgresPID, s.RedisPID}
}

// alone is a baseline beside the databases of a stage.
func alone(p *stage.Process, s *stage.Stage) side {
	return side{p.Addr, "", []int{p.PID}, []stage.Service{p.Service}, s.PostgresPID, s.RedisPID}
}

// around is the processor time of what works for a side.
func (s side) around() (used [3]time.Duration, err error) {
	for i, from := range []func() (time.Duration, error){
		func() (time.Duration, error) { return measure.CPU(os.Getpid()) },
		func() (time.Duration, error) { return measure.Family(s.postgres) },
		func() (time.Duration, error) { return measure.CPU(s.redis) },
	} {
		if i == 1 && s.postgres == 0 || i == 2 && s.redis == 0 {
			continue
		}
		if used[i], err = from(); err != nil {
			return used, err
		}
	}
	return used, nil
}

// under puts the side under load once and adds what each request used. With profiles, they tell what it
// was used for; row names them.
func (s side) under(ctx context.Context, e Env, row string, into *report.Use, run func() (load.Result, error)) (load.Result, error) {
	before, err := s.around()
	if err != nil {
		return load.Result{}, err
	}
	usage, err := measure.Use(s.pids...)
	if err != nil {
		return load.Result{}, err
	}
	var services []stage.Service
	if e.Profiles != "" {
		services = s.services
	}
	profiles := stage.Window(ctx, e.Profiles, "row-"+row, len(into.CPU)+1, services, e.window())
	r, err := run()
	if err == nil {
		err = use(into, usage, r.Requests)
	}
	after, afterErr := s.around()
	taken, profilesErr := profiles()
	for _, err := range []error{err, afterErr, profilesErr} {
		if err != nil {
			return r, err
		}
	}
	for _, data := range taken {
		samples, err := share.Of(data)
		if err != nil {
			return r, fmt.Errorf("read a profile of row %s: %w", row, err)
		}
		into.Shares.Add(samples)
	}
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(r.Requests) }
	into.All = append(into.All, each(r.Took*time.Duration(runtime.NumCPU())))
	for i, samples := range []*measure.Samples{&into.Clients, &into.Postgres, &into.Redis} {
		*samples = append(*samples, each(after[i]-before[i]))
	}
	return r, nil
}

// comparison is what a comparison of two servers under the same load found.
type comparison struct {
	rates [2]measure.Samples
	used  [2]report.Use
}

// compare runs the same calls against both sides in turn, after a check that both answer the same.
func compare(ctx context.Context, e Env, row string, callers int, hub, baseline side, c calls) (comparison, error) {
	sides := [2]side{hub, baseline}
	if err := alike(ctx, sides[:], c); err != nil {
		return comparison{}, err
	}
	return alternate(ctx, e, row, callers, sides, [2]load.Act{c(hub.token), c(baseline.token)})
}

// alternate runs the calls of both sides in turn, after a warm-up.
func alternate(ctx context.Context, e Env, row string, callers int, sides [2]side, acts [2]load.Act) (comparison, error) {
	var found comparison
	take := func(i int) func() (float64, error) {
		return func() (float64, error) {
			r, err := sides[i].under(ctx, e, row, &found.used[i], func() (load.Result, error) {
				return load.Run(ctx, sides[i].addr, callers, e.window(), acts[i])
			})
			return r.Rate(), err
		}
	}
	for i := range sides {
		if _, err := take(i)(); err != nil {
			return comparison{}, err
		}
		found.used[i] = report.Use{}
	}
	var err error
	found.rates[0], found.rates[1], err = measure.Alternate(e.Rounds, take(0), take(1))
	return found, err
}

// rate is the row of the requests per second.
func (c comparison) rate(id, scenario string, target report.Target) report.Row {
	return report.Row{
		ID: id, Scenario: scenario, Unit: "requests/s", Hub: c.rates[0], Baseline: c.rates[1],
		Target: target, HubUse: c.used[0], BaselineUse: c.used[1],
	}
}

// rows are the requests per second and the processor time.
func (c comparison) rows(id, scenario string, rate, cpu report.Target) []report.Row {
	return []report.Row{
		c.rate(id+"a", scenario, rate),
		{
			ID: id + "b", Scenario: scenario + ": CPU of the servers", Unit: "us/request",
			Hub: c.used[0].CPU, Baseline: c.used[1].CPU, Target: cpu,
		},
	}
}
