package scenario

import (
	"context"
	"slices"
	"strings"

	"example.com/hub/test/bench/internal/plot"
	"example.com/hub/test/bench/internal/report"
	"example.com/hub/test/bench/internal/stage"
)

// Result is what was found.
type Result struct {
	Rows   []report.Row
	Charts []plot.Chart

	env Env
}

// part measures some rows of a group, if one of them was asked for, and keeps profiles of the services
// meanwhile. When it fails, its rows have failed, and the next part has its turn.
func (r *Result) part(
	ctx context.Context, ids string, services []stage.Service, measure func() ([]report.Row, []plot.Chart, error),
) {
	names := strings.Fields(ids)
	if !r.env.wants(names...) {
		return
	}
	profiles := stage.Profile(ctx, r.env.Profiles, "row-"+strings.Join(names, "-"), services)
	rows, charts, err := measure()
	if err := profiles.Stop(); err != nil {
		r.env.Progress("profiles of %s: %v", ids, err)
	}
	if err != nil {
		r.env.Progress("%s failed: %v", ids, err)
		r.fail(names, err)
		return
	}
	r.Rows, r.Charts = append(r.Rows, rows...), append(r.Charts, charts...)
}

// chart measures a plot that no row brings along, if plots are wanted.
func (r *Result) chart(name string, measure func() (plot.Chart, error)) {
	if !r.env.Plots {
		return
	}
	chart, err := measure()
	if err != nil {
		r.env.Progress("plot %s failed: %v", name, err)
		r.Rows = append(r.Rows, report.Failed("plot "+name, err))
		return
	}
	r.Charts = append(r.Charts, chart)
}

// fail adds the wanted rows that are not there.
func (r *Result) fail(ids []string, err error) {
	for _, id := range ids {
		there := slices.ContainsFunc(r.Rows, func(row report.Row) bool { return row.ID == id })
		if !there && r.env.wants(id) {
			r.Rows = append(r.Rows, report.Failed(id, err))
		}
	}
}
