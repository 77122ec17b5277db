// Package plot draws small line charts as SVG, with both axes logarithmic.
package plot

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Chart is a picture.
type Chart struct {
	// Name is that of the file, without its end.
	Name string
	// Title stands above, X and Y name the axes with their units.
	Title, X, Y string
	Series      []Series
}

// Series is a line.
type Series struct {
	Name   string
	Points []Point
}

// Point is a place; both values are more than 0.
type Point struct{ X, Y float64 }

// The picture's size, and the room around the field.
const (
	width, height            = 640, 360
	left, right, top, bottom = 64, 24, 40, 48
)

// colours can be told apart by everyone (Okabe and Ito).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7"}

// axis maps values to pixels.
type axis struct{ low, high, from, to float64 }

func newAxis(values []float64, from, to float64) axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, math.Log10(v)), max(high, math.Log10(v))
	}
	low, high = math.Floor(low+1e-9), math.Ceil(high-1e-9)
	if low == high {
		high++
	}
	return axis{low, high, from, to}
}

func (a axis) at(v float64) float64 {
	return a.from + (math.Log10(v)-a.low)/(a.high-a.low)*(a.to-a.from)
}

// WriteTo writes the picture as an SVG document.
func (c Chart) WriteTo(w io.Writer) (int64, error) {
	var xs, ys []float64
	for _, s := range c.Series {
		for _, p := range s.Points {
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
	}
	x, y := newAxis(xs, left, width-right), newAxis(ys, height-bottom, top)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	text(&b, width/2, 20, "middle", `font-size="14" font-weight="bold"`, c.Title)
	text(&b, width/2, height-10, "middle", "", c.X)
	text(&b, 16, height/2, "middle", fmt.Sprintf(`transform="rotate(-90 16 %d)"`, height/2), c.Y)
	for power := x.low; power <= x.high; power++ {
		at := x.at(math.Pow(10, power))
		line(&b, at, top, at, height-bottom)
		text(&b, at, height-bottom+16, "middle", "", label(power))
	}
	for power := y.low; power <= y.high; power++ {
		at := y.at(math.Pow(10, power))
		line(&b, left, at, width-right, at)
		text(&b, left-6, at+4, "end", "", label(power))
	}
	for i, s := range c.Series {
		c.draw(&b, s, colours[i%len(colours)], i, x, y)
	}
	b.WriteString("</svg>\n")
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func (c Chart) draw(b *strings.Builder, s Series, colour string, i int, x, y axis) {
	points := make([]string, len(s.Points))
	for i, p := range s.Points {
		points[i] = fmt.Sprintf("%.1f,%.1f", x.at(p.X), y.at(p.Y))
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x.at(p.X), y.at(p.Y), colour)
	}
	fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>`+"\n", colour, strings.Join(points, " "))
	text(b, left+10, float64(top+18+16*i), "start", fmt.Sprintf(`fill="%s" font-weight="bold"`, colour), s.Name)
}

func line(b *strings.Builder, x1, y1, x2, y2 float64) {
	fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#ddd"/>`+"\n", x1, y1, x2, y2)
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func text(b *strings.Builder, x, y float64, anchor, more, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" %s>%s</text>`+"\n", x, y, anchor, more, escaper.Replace(s))
}

// label writes a power of ten: 0.1, 10, 10 k, 1 M.
func label(power float64) string {
	value, unit := math.Pow(10, power), ""
	switch {
	case power >= 6:
		value, unit = value/1e6, " M"
	case power >= 4:
		value, unit = value/1e3, " k"
	}
	return fmt.Sprintf("%g%s", value, unit)
}
