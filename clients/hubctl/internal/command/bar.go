package command

import (
	"fmt"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"example.com/hub/clients/hubctl/internal/show"
)

// bar is the line on a terminal that tells how far an import has come. Elsewhere it shows notes only.
type bar struct {
	app   *App
	to    show.Terminal
	size  int64 // bytes of the whole; 0 if that is not known
	began time.Time
	drawn time.Time
	// from and first are what was done at the first drawing, which a resumed import has not done now.
	from, first int64
	line        string
}

// redraw is the least time between two drawings.
const redraw = 100 * time.Millisecond

func (a *App) newBar(size int64) *bar {
	return &bar{app: a, to: show.TerminalOf(a.Err, a.Environ), size: size, began: time.Now()}
}

func (b *bar) took() time.Duration { return time.Since(b.began) }

// note writes a line above the bar.
func (b *bar) note(format string, args ...any) {
	line := b.line
	b.clear()
	b.app.note(format, args...)
	b.line = line
	b.show()
}

// draw shows how many lines and bytes are done.
func (b *bar) draw(lines, bytes int64) {
	if b.first == 0 {
		b.from, b.first = lines, bytes
	}
	if b.to.Width == 0 || time.Since(b.drawn) < redraw && bytes < b.size {
		return
	}
	b.drawn = time.Now()
	text := fmt.Sprintf("%d lines", lines)
	if took := b.took(); took > time.Second && lines > b.from {
		text += fmt.Sprintf(", %.0f a second", float64(lines-b.from)/took.Seconds())
		if left := b.size - bytes; left > 0 && bytes > b.first {
			text += fmt.Sprintf(", %s left", time.Duration(float64(took)*float64(left)/float64(bytes-b.first)).Round(time.Second))
		}
	}
	if b.size > 0 {
		text = progress(min(bytes, b.size), b.size) + text
	}
	b.clear()
	b.line = runewidth.Truncate(text, b.to.Width-1, "…")
	b.show()
}

func progress(done, whole int64) string {
	const width = 30
	filled := int(width * done / whole)
	return fmt.Sprintf("%3d%% [%s%s] ", 100*done/whole, strings.Repeat("=", filled), strings.Repeat(" ", width-filled))
}

// clear takes the bar away.
func (b *bar) clear() {
	if b.line != "" {
		fmt.Fprint(b.app.Err, "\r\x1b[K")
		b.line = ""
	}
}

func (b *bar) show() {
	if b.line != "" {
		fmt.Fprint(b.app.Err, b.line)
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
