package plot_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"example.com/hub/test/bench/internal/plot"
)

// texts draws a chart and gives what is written on it. The document must be well-formed.
func texts(t *testing.T, c plot.Chart) (all []string, document string) {
	t.Helper()
	var b strings.Builder
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	inside := false
	for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all, b.String()
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = token.Name.Local == "text"
		case xml.CharData:
			if inside {
				all = append(all, strings.TrimSpace(string(token)))
			}
		}
	}
}

func TestChart(t *testing.T) {
	all, document := texts(t, plot.Chart{
		Name: "x", Title: `a < b & "c"`, X: "size", Y: "ms",
		Series: []plot.Series{
			{Name: "one", Points: []plot.Point{{X: 1, Y: 0.1}, {X: 100, Y: 1}, {X: 10_000, Y: 10}}},
			{Name: "two", Baseline: true, Points: []plot.Point{{X: 1, Y: 1}, {X: 10_000, Y: 1}}},
		},
	})
	written := "|" + strings.Join(all, "|") + "|"
	for _, want := range []string{`a < b & "c"`, "one", "two", "1", "10", "10,000", "size (logarithmic)", "ms (logarithmic)"} {
		if !strings.Contains(written, "|"+want+"|") {
			t.Errorf("no %s in %s", want, written)
		}
	}
	if strings.Count(document, "stroke-dasharray:") != 2 {
		t.Error("the baseline is not dashed, in its field and in the legend, or something else is")
	}
}

func TestChartOfFewValues(t *testing.T) {
	for name, c := range map[string]plot.Chart{
		"one":  {Series: []plot.Series{{Points: []plot.Point{{X: 10, Y: 0.5}}}}},
		"none": {Series: []plot.Series{{}}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, document := texts(t, c); strings.Contains(document, "NaN") || strings.Contains(document, "Inf") {
				t.Error(document)
			}
		})
	}
}
