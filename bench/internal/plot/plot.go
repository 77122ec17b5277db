// Package plot draws small line charts as SVG, with both axes logarithmic. They have a background of
// their own, so that they can be read on a light page and on a dark one.
package plot

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
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
	Name string
	// Baseline draws the line dashed and in grey.
	Baseline bool
	Points   []Point
}

// Point is a place; both values are more than 0.
type Point struct{ X, Y float64 }

// The picture's size, and the room around the field. Above the field is a line for each series.
const (
	width, fieldHeight  = 720, 300
	left, right, bottom = 78, 72, 62
	titleHeight         = 54
	legendLine          = 20
)

// colours can be told apart by everyone (Okabe and Ito), and so can the greys of baselines.
var (
	colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7"}
	greys   = []string{"#6e7781", "#a0652a"}
)

// WriteTo writes the picture as an SVG document.
func (c Chart) WriteTo(w io.Writer) (int64, error) {
	var xs, ys []float64
	for _, s := range c.Series {
		for _, p := range s.Points {
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
	}
	top := float64(titleHeight + legendLine*len(c.Series) + 14)
	height := top + fieldHeight + bottom
	p := picture{x: newAxis(xs, left, width-right), y: newAxis(ys, top+fieldHeight, top)}
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" width="%d" height="%.0f" role="img" aria-label="%s" `+
		`font-family="system-ui, 'DejaVu Sans', Arial, sans-serif" font-size="13" fill="#24292f">`,
		width, height, width, height, escaper.Replace(c.Title))
	p.printf(`<rect x="0.5" y="0.5" width="%d" height="%.0f" rx="8" fill="#fbfbfc" stroke="#d0d7de"/>`, width-1, height-1)
	p.text(left, 30, `font-size="17" font-weight="600"`, c.Title)
	p.grid(top)
	p.text((left+width-right)/2, height-16, `text-anchor="middle"`, c.X+" (logarithmic)")
	middle := top + fieldHeight/2
	p.text(22, middle, fmt.Sprintf(`text-anchor="middle" transform="rotate(-90 22 %.1f)"`, middle), c.Y+" (logarithmic)")
	own, bases := 0, 0
	var ends []end
	for i, s := range c.Series {
		style := styles{shape: i, dash: ""}
		if s.Baseline {
			style.colour, style.dash = greys[bases%len(greys)], "6 4"
			bases++
		} else {
			style.colour = colours[own%len(colours)]
			own++
		}
		p.legend(titleHeight+float64(legendLine*i), style, s.Name)
		ends = append(ends, p.series(style, s.Points)...)
	}
	p.labels(ends)
	p.printf("</svg>")
	n, err := io.WriteString(w, p.out.String())
	return int64(n), err
}

// picture is a chart while it is drawn.
type picture struct {
	out  strings.Builder
	x, y axis
}

// styles are how a series looks.
type styles struct {
	colour, dash string
	// shape is the number of the marks' form.
	shape int
}

// end is a last value, to be written beside the line.
type end struct {
	x, y   float64
	colour string
	value  float64
}

func (p *picture) printf(format string, args ...any) {
	fmt.Fprintf(&p.out, format, args...)
	p.out.WriteByte('\n')
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func (p *picture) text(x, y float64, attributes, s string) {
	p.printf(`<text x="%.1f" y="%.1f" %s>%s</text>`, x, y, attributes, escaper.Replace(s))
}

// grid draws the field with its lines and their values.
func (p *picture) grid(top float64) {
	for _, t := range p.x.ticks() {
		at := p.x.at(t.value)
		p.rule(at, top, at, top+fieldHeight, t.label)
		if t.label {
			p.text(at, top+fieldHeight+20, `text-anchor="middle"`, label(t.value))
		}
	}
	for _, t := range p.y.ticks() {
		at := p.y.at(t.value)
		p.rule(left, at, width-right, at, t.label)
		if t.label {
			p.text(left-8, at+4.5, `text-anchor="end"`, label(t.value))
		}
	}
	p.printf(`<rect x="%d" y="%.1f" width="%d" height="%d" fill="none" stroke="#8c959f"/>`, left, top, width-right-left, fieldHeight)
}

func (p *picture) rule(x1, y1, x2, y2 float64, strong bool) {
	colour := "#eef0f3"
	if strong {
		colour = "#d0d7de"
	}
	p.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>`, x1, y1, x2, y2, colour)
}

// legend draws a piece of the line with a mark, and the name.
func (p *picture) legend(y float64, s styles, name string) {
	p.line(s, fmt.Sprintf("%d,%.1f %d,%.1f", left, y, left+36, y))
	p.mark(s, left+18, y)
	p.text(left+46, y+4.5, "", name)
}

func (p *picture) line(s styles, points string) {
	dash := ""
	if s.dash != "" {
		dash = ` stroke-dasharray="` + s.dash + `"`
	}
	p.printf(`<polyline fill="none" stroke="%s" stroke-width="2.5" stroke-linejoin="round"%s points="%s"/>`, s.colour, dash, points)
}

// mark draws a point of a series: series differ by its form, too.
func (p *picture) mark(s styles, x, y float64) {
	switch s.shape % 3 {
	case 0:
		p.printf(`<circle class="mark" cx="%.1f" cy="%.1f" r="4.5" fill="%s"/>`, x, y, s.colour)
	case 1:
		p.printf(`<rect class="mark" x="%.1f" y="%.1f" width="8" height="8" fill="%s"/>`, x-4, y-4, s.colour)
	default:
		p.printf(`<path class="mark" d="M%.1f %.1f l5.5 9.5 h-11 z" fill="%s"/>`, x, y-6, s.colour)
	}
}

// series draws a line and gives its last value.
func (p *picture) series(s styles, points []Point) []end {
	if len(points) == 0 {
		return nil
	}
	places := make([]string, len(points))
	for i, at := range points {
		places[i] = fmt.Sprintf("%.1f,%.1f", p.x.at(at.X), p.y.at(at.Y))
	}
	p.line(s, strings.Join(places, " "))
	for _, at := range points {
		p.mark(s, p.x.at(at.X), p.y.at(at.Y))
	}
	last := points[len(points)-1]
	return []end{{p.x.at(last.X), p.y.at(last.Y), s.colour, last.Y}}
}

// labels writes the last values beside the lines, below each other where lines meet.
func (p *picture) labels(ends []end) {
	slices.SortFunc(ends, func(a, b end) int { return int(a.y - b.y) })
	const apart = 15
	free := math.Inf(-1)
	for _, e := range ends {
		y := max(e.y, free)
		free = y + apart
		x := e.x + 10
		if e.x > width-right-40 {
			x = width - right + 8 // not across the frame
		}
		p.text(x, y+4.5, fmt.Sprintf(`fill="%s" font-weight="600"`, e.colour), label(e.value))
	}
}

// label writes a value with three digits: 0.1, 12.3, 12,300.
func label(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		rounded = v
	}
	text := strconv.FormatFloat(rounded, 'f', -1, 64)
	if rounded >= 1000 {
		for at := len(text) - 3; at > 0; at -= 3 {
			text = text[:at] + "," + text[at:]
		}
	}
	return text
}
