package observability

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
)

// Dashboard is what the checks need of Grafana's format.
type Dashboard struct {
	Title         string `json:"title"`
	UID           string `json:"uid"`
	SchemaVersion int    `json:"schemaVersion"`
	Panels        []Panel
	Templating    struct {
		List []Variable
	}
	Annotations struct {
		List []struct {
			Datasource Datasource
			Expr       string
		}
	}
}

// Panel is a row or shows queries.
type Panel struct {
	ID          int
	Type        string
	Title       string
	Description string
	Datasource  *Datasource
	GridPos     Position
	FieldConfig struct {
		Defaults struct {
			Unit string
		}
	}
	Targets []Target
	// Panels are those of a collapsed row.
	Panels []Panel
}

// Position is a rectangle on a grid of 24 columns.
type Position struct {
	X, Y, W, H int
}

// Target is one query of a panel.
type Target struct {
	RefID        string
	Datasource   *Datasource
	Expr         string
	LegendFormat string
}

// Datasource names where queries go.
type Datasource struct {
	Type, UID string
}

// Variable is chosen above the panels.
type Variable struct {
	Name, Type string
	Definition string
	AllValue   string
}

// ReadDashboard reads a file of Grafana's.
func ReadDashboard(file string) (Dashboard, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Dashboard{}, err
	}
	var d Dashboard
	if err := json.Unmarshal(text, &d); err != nil {
		return Dashboard{}, fmt.Errorf("%s: %w", file, err)
	}
	return d, nil
}

// chosen is the data source of every query.
var chosen = Datasource{Type: "prometheus", UID: "${datasource}"}

// columns is the width of a dashboard.
const columns = 24

// Check tells what is wrong with the dashboard, a sentence each.
func (d Dashboard) Check(c Catalog, variables map[string]string) []string {
	var findings []string
	find := func(format string, args ...any) { findings = append(findings, fmt.Sprintf(format, args...)) }
	if d.Title == "" || d.UID == "" || d.SchemaVersion < 40 {
		find("title %q, uid %q, schema version %d", d.Title, d.UID, d.SchemaVersion)
	}
	ids := map[int]string{}
	for i, p := range d.Panels {
		if other, twice := ids[p.ID]; twice || p.ID == 0 {
			find("%s: has the id %d of %q", p.Title, p.ID, other)
		}
		ids[p.ID] = p.Title
		if g := p.GridPos; g.X < 0 || g.Y < 0 || g.W < 1 || g.H < 1 || g.X+g.W > columns {
			find("%s: lies outside of the grid", p.Title)
		}
		for _, other := range d.Panels[:i] {
			if overlap(p.GridPos, other.GridPos) {
				find("%s: covers %s", p.Title, other.Title)
			}
		}
		for _, f := range p.check(c, variables) {
			find("%s: %s", p.Title, f)
		}
	}
	return append(findings, d.checkVariables(c, variables)...)
}

func overlap(a, b Position) bool {
	return a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H
}

func (p Panel) check(c Catalog, variables map[string]string) []string {
	if p.Type == "row" {
		if p.Title == "" || len(p.Panels) > 0 {
			return []string{"a row has a title, and its panels stand after it"}
		}
		return nil
	}
	var findings []string
	find := func(format string, args ...any) { findings = append(findings, fmt.Sprintf(format, args...)) }
	if p.Title == "" || p.Description == "" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 {
		find("a panel has a title, a description, a unit and queries")
	}
	if p.Datasource == nil || *p.Datasource != chosen {
		find("its data source is not the chosen one")
	}
	var refs []string
	for _, t := range p.Targets {
		if slices.Contains(refs, t.RefID) || t.RefID == "" {
			find("two queries are %q", t.RefID)
		}
		refs = append(refs, t.RefID)
		if t.Datasource == nil || *t.Datasource != chosen {
			find("the data source of %s is not the chosen one", t.RefID)
		}
		e := c.Check(Substitute(t.Expr, variables))
		for _, f := range e.Findings {
			find("%s: %s", t.RefID, f)
		}
		for _, name := range templated(t.LegendFormat, "") {
			if !slices.Contains(e.Labels, name) {
				find("%s: its legend uses the label %s", t.RefID, name)
			}
		}
	}
	return findings
}

// listed is a query for the values of a label.
var listed = regexp.MustCompile(`^label_values\((.*), ([a-z_]+)\)$`)

func (d Dashboard) checkVariables(c Catalog, variables map[string]string) []string {
	var findings []string
	find := func(format string, args ...any) { findings = append(findings, fmt.Sprintf(format, args...)) }
	var names []string
	for _, v := range d.Templating.List {
		names = append(names, v.Name)
		if v.Type != "query" {
			continue
		}
		parts := listed.FindStringSubmatch(v.Definition)
		if parts == nil {
			find("variable %s: what is %q?", v.Name, v.Definition)
			continue
		}
		e := c.Check(Substitute(parts[1], variables))
		for _, f := range e.Findings {
			find("variable %s: %s", v.Name, f)
		}
		if !slices.Contains(e.Labels, parts[2]) || v.AllValue != ".*" {
			find("variable %s: label %s, all is %q", v.Name, parts[2], v.AllValue)
		}
	}
	for _, want := range []string{"datasource", "namespace", "instance"} {
		if !slices.Contains(names, want) {
			find("there is no variable %s", want)
		}
	}
	for _, a := range d.Annotations.List {
		for _, f := range c.Check(Substitute(a.Expr, variables)).Findings {
			find("annotation: %s", f)
		}
	}
	return findings
}
