package plot_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"example.com/hub/bench/internal/plot"
)

func draw(t *testing.T, c plot.Chart) string {
	t.Helper()
	var b strings.Builder
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// marks are the centres of the marks that are circles, the one of the legend first. The document must be
// well-formed.
func marks(t *testing.T, document string) (xs, ys []float64) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(document)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return xs, ys
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "circle" {
			continue
		}
		for _, a := range e.Attr {
			value, err := strconv.ParseFloat(a.Value, 64)
			switch {
			case a.Name.Local == "cx" && err == nil:
				xs = append(xs, value)
			case a.Name.Local == "cy" && err == nil:
				ys = append(ys, value)
			}
		}
	}
}

func TestChartPlacesValuesByTheirLogarithm(t *testing.T) {
	document := draw(t, plot.Chart{
		Name: "x", Title: "a < b & \"c\"", X: "size", Y: "ms",
		Series: []plot.Series{
			{Name: "one", Points: []plot.Point{{1, 0.1}, {100, 1}, {10_000, 10}}},
			{Name: "two", Baseline: true, Points: []plot.Point{{1, 1}, {10_000, 1}}},
		},
	})
	xs, ys := marks(t, document)
	if len(xs) != 4 {
		t.Fatalf("%d circles, want one in the legend and three in the field", len(xs))
	}
	near := func(a, b float64) bool { return a-b < 0.11 && b-a < 0.11 }
	if !near(xs[2]-xs[1], xs[3]-xs[2]) || !near(ys[1]-ys[2], ys[2]-ys[3]) || xs[1] >= xs[2] || ys[1] <= ys[2] {
		t.Errorf("the points lie at %v, %v", xs[1:], ys[1:])
	}
	for _, want := range []string{"a &lt; b &amp; &quot;c&quot;", ">0.1<", ">10<", ">10,000<", "size (logarithmic)", `stroke-dasharray="6 4"`} {
		if !strings.Contains(document, want) {
			t.Errorf("no %s in\n%s", want, document)
		}
	}
}

func TestChartOfFewValues(t *testing.T) {
	for name, c := range map[string]plot.Chart{
		"one":  {Series: []plot.Series{{Points: []plot.Point{{10, 10}}}}},
		"none": {Series: []plot.Series{{}}},
	} {
		t.Run(name, func(t *testing.T) {
			document := draw(t, c)
			marks(t, document)
			if strings.Contains(document, "NaN") || strings.Contains(document, "Inf") {
				t.Error(document)
			}
		})
	}
}
