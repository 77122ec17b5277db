package plot_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"example.com/hub/bench/internal/plot"
)

func TestChartIsWellFormedAndInsideItsField(t *testing.T) {
	c := plot.Chart{
		Name: "x", Title: "a < b & c", X: "size", Y: "ms",
		Series: []plot.Series{
			{Name: "one", Points: []plot.Point{{1, 0.3}, {1_000_000, 250}}},
			{Name: "two", Points: []plot.Point{{100, 1}, {10_000, 1}}},
		},
	}
	var b strings.Builder
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	circles := 0
	for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" {
			circles++
		}
	}
	if circles != 4 {
		t.Errorf("%d points, want 4", circles)
	}
	// The smallest value lies on the left edge of the field, the largest on the right one.
	for _, want := range []string{`cx="64.0"`, `cx="616.0"`, "a &lt; b &amp; c", ">0.1<", ">1000<"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}

func TestChartOfOneValue(t *testing.T) {
	var b strings.Builder
	c := plot.Chart{Series: []plot.Series{{Points: []plot.Point{{10, 10}}}}}
	if _, err := c.WriteTo(&b); err != nil || strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
		t.Errorf("%v, %s", err, b.String())
	}
}
