package observability

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// Rules are a file of Prometheus, in its order.
type Rules struct {
	Alerts, Recordings []rulefmt.Rule
}

// ReadRules reads a file strictly.
func ReadRules(file string) (Rules, error) {
	groups, faults := rulefmt.ParseFile(file, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(faults) > 0 {
		return Rules{}, errors.Join(faults...)
	}
	var all Rules
	for _, g := range groups.Groups {
		for _, r := range g.Rules {
			if r.Alert != "" {
				all.Alerts = append(all.Alerts, r)
			} else {
				all.Recordings = append(all.Recordings, r)
			}
		}
	}
	return all, nil
}

// Check tells what is wrong with the rules, a sentence each. The catalog has the recorded metrics, too,
// afterwards.
func (r Rules) Check(c Catalog) []string {
	var findings []string
	check := func(name, query string) Expression {
		e := c.Check(query)
		for _, f := range e.Findings {
			findings = append(findings, name+": "+f)
		}
		return e
	}
	for _, rule := range r.Recordings {
		check(rule.Record, rule.Expr)
		c[rule.Record] = Metric{Type: "gauge", Services: services}
	}
	var names []string
	for _, rule := range r.Alerts {
		e := check(rule.Alert, rule.Expr)
		if slices.Contains(names, rule.Alert) {
			findings = append(findings, rule.Alert+": stands twice")
		}
		names = append(names, rule.Alert)
		findings = append(findings, alertFindings(rule, e.Labels)...)
	}
	return findings
}

// alertFindings looks at what people get to see of an alert.
func alertFindings(rule rulefmt.Rule, labels []string) []string {
	var findings []string
	find := func(format string, args ...any) {
		findings = append(findings, rule.Alert+": "+fmt.Sprintf(format, args...))
	}
	if s := rule.Labels["severity"]; s != "page" && s != "ticket" {
		find("its severity is %q", s)
	}
	for _, name := range []string{"summary", "description"} {
		if rule.Annotations[name] == "" {
			find("it has no %s", name)
		}
	}
	if want := Runbook + "#" + strings.ToLower(rule.Alert); rule.Annotations["runbook"] != want {
		find("its runbook is not %s", want)
	}
	for _, used := range templated(rule.Annotations["description"], "$labels.") {
		if !slices.Contains(labels, used) {
			find("its description uses the label %s", used)
		}
	}
	return findings
}

// Runbook is the page that has a section for each alert.
const Runbook = "docs/operations/alerts.md"

// templated lists the names that follow a prefix within double braces.
func templated(text, prefix string) []string {
	var names []string
	for {
		_, rest, found := strings.Cut(text, "{{")
		inside, after, closed := strings.Cut(rest, "}}")
		if !found || !closed {
			return names
		}
		if name, is := strings.CutPrefix(strings.TrimSpace(inside), prefix); is {
			names = append(names, name)
		}
		text = after
	}
}
