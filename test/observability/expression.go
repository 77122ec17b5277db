package observability

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
)

// Expression is a query with what is wrong with it.
type Expression struct {
	// Labels are those that the series of the query may have.
	Labels []string
	// Findings are a sentence each; none if all is well.
	Findings []string

	catalog Catalog
}

// Check parses a query and looks up what it names.
func (c Catalog) Check(query string) Expression {
	e := Expression{catalog: c}
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(query)
	if err != nil {
		e.findf("%v", err)
		return e
	}
	// Selectors come first: groupings are held to the labels of the whole query.
	parser.Inspect(tree, func(n parser.Node, path []parser.Node) error {
		if v, ok := n.(*parser.VectorSelector); ok {
			e.selector(v, path)
		}
		return nil
	})
	parser.Inspect(tree, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.AggregateExpr:
			e.known("grouping", n.Grouping)
		case *parser.BinaryExpr:
			if n.VectorMatching != nil {
				e.known("matching", n.VectorMatching.MatchingLabels)
				e.known("matching", n.VectorMatching.Include)
			}
		}
		return nil
	})
	return e
}

func (e *Expression) findf(format string, args ...any) {
	e.Findings = append(e.Findings, fmt.Sprintf(format, args...))
}

// known wants labels that some series of the query has.
func (e *Expression) known(where string, names []string) {
	for _, name := range names {
		if !slices.Contains(e.Labels, name) {
			e.findf("%s: no metric has the label %s", where, name)
		}
	}
}

func (e *Expression) selector(v *parser.VectorSelector, path []parser.Node) {
	m, found := e.catalog.series(v.Name)
	if !found {
		e.findf("there is no metric %q", v.Name)
		return
	}
	own := slices.Concat(m.Labels, targetLabels)
	e.Labels = append(e.Labels, own...)
	for _, l := range v.LabelMatchers {
		if l.Name != model.MetricNameLabel && !slices.Contains(own, l.Name) {
			e.findf("%s has no label %s", v.Name, l.Name)
		}
		if l.Name == "job" && !slices.ContainsFunc(m.Services, l.Matches) {
			e.findf("%s is not a metric of %s", v.Name, l)
		}
	}
	// A counter means nothing by itself, and a gauge has no rate.
	switch over := function(path); {
	case m.Type == "counter" && over != "rate" && over != "increase":
		e.findf("%s is a counter and needs rate or increase", v.Name)
	case m.Type != "counter" && (over == "rate" || over == "increase"):
		e.findf("%s is a %s and has no %s", v.Name, m.Type, over)
	}
}

// function names what is called with a selector of a range; empty without a range.
func function(path []parser.Node) string {
	if len(path) < 2 {
		return ""
	}
	if _, ranged := path[len(path)-1].(*parser.MatrixSelector); !ranged {
		return ""
	}
	for i := len(path) - 2; i >= 0; i-- {
		if call, ok := path[i].(*parser.Call); ok {
			return call.Func.Name
		}
	}
	return ""
}

// Substitute replaces the variables of a dashboard by values.
func Substitute(text string, values map[string]string) string {
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, "$"+name, value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
