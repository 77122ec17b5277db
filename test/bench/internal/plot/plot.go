// Package plot draws small line charts as SVG, with both axes logarithmic. They have a background of
// their own, so that they can be read on a light page and on a dark one.
package plot

import (
	"fmt"
	"image/color"
	"io"
	"strconv"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
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
type Point = plotter.XY

const width, height, margin = 18 * vg.Centimeter, 11 * vg.Centimeter, vg.Length(14)

// The colours can be told apart by everyone (Okabe and Ito), and so can the greys of baselines.
var (
	colours = []color.Color{rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73), rgb(0xcc79a7)}
	greys   = []color.Color{rgb(0x6e7781), rgb(0xa0652a)}
	shapes  = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}
)

func rgb(hex uint32) color.Color {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// WriteTo writes the picture as an SVG document.
func (c Chart) WriteTo(w io.Writer) (int64, error) {
	p := gonum.New()
	p.BackgroundColor = nil // of the whole picture, below
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.X+" (logarithmic)", c.Y+" (logarithmic)"
	p.Title.Padding = vg.Points(8)
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, vg.Points(2)
	for _, axis := range []*gonum.Axis{&p.X, &p.Y} {
		axis.Scale, axis.Tick.Marker = gonum.LogScale{}, gonum.TickerFunc(ticks)
		axis.Padding = vg.Points(4)
		sans(&axis.Label.TextStyle, 11)
		sans(&axis.Tick.Label, 10)
	}
	sans(&p.Title.TextStyle, 14)
	sans(&p.Legend.TextStyle, 10)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = rgb(0xe3e6ea), rgb(0xe3e6ea)
	p.Add(grid)
	var own, bases int
	for i, s := range c.Series {
		if len(s.Points) == 0 {
			continue
		}
		var of color.Color
		if s.Baseline {
			of = greys[bases%len(greys)]
			bases++
		} else {
			of = colours[own%len(colours)]
			own++
		}
		if err := add(p, s, of, shapes[i%len(shapes)]); err != nil {
			return 0, fmt.Errorf("draw %s: %w", s.Name, err)
		}
	}
	for _, axis := range []*gonum.Axis{&p.X, &p.Y} {
		switch {
		case axis.Min > axis.Max: // there is no value
			axis.Min, axis.Max = 1, 10
		case axis.Min == axis.Max:
			axis.Min, axis.Max = axis.Min/2, axis.Max*2
		}
	}
	picture := vgsvg.New(width, height)
	whole := draw.New(picture)
	whole.FillPolygon(rgb(0xfbfbfc), []vg.Point{whole.Min, {X: whole.Max.X}, whole.Max, {Y: whole.Max.Y}})
	p.Draw(draw.Crop(whole, margin, -margin, margin, -margin))
	return picture.WriteTo(w)
}

// add draws a line with its marks.
func add(p *gonum.Plot, s Series, of color.Color, shape draw.GlyphDrawer) error {
	line, marks, err := plotter.NewLinePoints(plotter.XYs(s.Points))
	if err != nil {
		return err
	}
	line.Color, line.Width = of, vg.Points(2)
	if s.Baseline {
		line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
	}
	marks.Color, marks.Shape, marks.Radius = of, shape, vg.Points(3.5)
	p.Add(line, marks)
	p.Legend.Add(s.Name, line, marks)
	return nil
}

func sans(style *text.Style, size float64) {
	style.Font.Variant, style.Font.Size = "Sans", font.Length(size)
}

// ticks are gonum's for a logarithmic axis, without the labels that it gives as 10 to the power of n.
func ticks(low, high float64) []gonum.Tick {
	all := gonum.LogTicks{Prec: -1}.Ticks(low, high)
	for i := range all {
		if all[i].Label != "" {
			all[i].Label = label(all[i].Value)
		}
	}
	return all
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
