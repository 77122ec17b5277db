package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/hub/test/bench/internal/share"
)

// floor is one column of the floors: microseconds of processor time for each request.
type floor struct {
	name          string
	hub, baseline Use
}

// part is what a figure of the floors says, and how it is taken from what a side used.
type part struct {
	name string
	of   func(Use) float64
}

// parts are the lines of the floors. All but the first add up to it.
func parts() []part {
	all := []part{{"**all processors**", func(u Use) float64 { return u.All.Median() }}}
	for kind, name := range share.Names {
		all = append(all, part{name, func(u Use) float64 { return u.CPU.Median() * u.Shares.Part(share.Kind(kind)) }})
	}
	return append(all,
		part{"PostgreSQL", func(u Use) float64 { return u.Postgres.Median() }},
		part{"Redis", func(u Use) float64 { return u.Redis.Median() }},
		part{"clients", func(u Use) float64 { return u.Clients.Median() }},
		part{"idle, and what else ran", func(u Use) float64 {
			return u.All.Median() - u.CPU.Median() - u.Postgres.Median() - u.Redis.Median() - u.Clients.Median()
		}},
	)
}

// Floors writes what lies between Hub and the baseline, for the rows that were measured with profiles of
// both.
func (r Report) Floors(w io.Writer) error {
	var columns []floor
	for _, row := range r.Rows {
		if row.HubUse.Shares != (share.Samples{}) && row.BaselineUse.Shares != (share.Samples{}) {
			name, _, _ := strings.Cut(row.Scenario, ",")
			columns = append(columns, floor{row.ID + ": " + name, row.HubUse, row.BaselineUse})
		}
	}
	fmt.Fprint(w, "| us/request |")
	for _, c := range columns {
		fmt.Fprintf(w, " %s |", c.name)
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|", len(columns)))
	for _, p := range parts() {
		cells := make([]string, len(columns))
		for i, c := range columns {
			hub, baseline := p.of(c.hub), p.of(c.baseline)
			if max(hub, baseline) >= 0.5 {
				cells[i] = fmt.Sprintf("%+.0f (%.0f / %.0f)", hub-baseline, hub, baseline)
			}
		}
		if slices.ContainsFunc(cells, func(c string) bool { return c != "" }) {
			fmt.Fprintf(w, "| %s | %s |\n", p.name, strings.Join(cells, " | "))
		}
	}
	_, err := fmt.Fprintf(w, "\n- Run: %s, for %v, with profiles, which cost some speed; load %.1f before and %.1f after.\n",
		r.Began.UTC().Format("2 January 2006, 15:04 UTC"), r.Took.Round(1e9), r.Machine.LoadBefore, r.Machine.LoadAfter)
	return err
}
