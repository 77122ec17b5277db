package show

import (
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Table is a table for people. On a terminal each row takes one line: columns that are too wide are cut, the
// widest first. Elsewhere nothing is cut.
type Table struct {
	// Columns are the titles.
	Columns []string
	// Rows have a cell for each column.
	Rows [][]Cell
}

// Cell is one text of a table. It may come from anybody.
type Cell struct {
	Text  string
	Style Style
}

// Cells makes a row of texts without a style.
func Cells(texts ...string) []Cell {
	row := make([]Cell, len(texts))
	for i, text := range texts {
		row[i].Text = text
	}
	return row
}

// gap is what stands between two columns, in columns of a terminal.
const gap = 2

// Write writes the table.
func (t Table) Write(w io.Writer, to Terminal) error {
	head := make([]Cell, len(t.Columns))
	for i, title := range t.Columns {
		head[i] = Cell{title, Head}
	}
	rows := append([][]Cell{head}, t.Rows...)
	texts := make([][]string, len(rows))
	for i, row := range rows {
		texts[i] = make([]string, len(row))
		for j, c := range row {
			texts[i][j] = Text(c.Text)
		}
	}
	widths := fit(widest(texts), to.Width)
	var b strings.Builder
	for i, row := range texts {
		writeRow(&b, to, row, rows[i], widths)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeRow(b *strings.Builder, to Terminal, texts []string, cells []Cell, widths []int) {
	for j, text := range texts {
		if to.Width > 0 {
			text = runewidth.Truncate(text, widths[j], "…")
		}
		b.WriteString(to.Paint(cells[j].Style, text))
		if j < len(texts)-1 {
			b.WriteString(strings.Repeat(" ", widths[j]-runewidth.StringWidth(text)+gap))
		}
	}
	b.WriteByte('\n')
}

func widest(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for j, text := range row {
			widths[j] = max(widths[j], runewidth.StringWidth(text))
		}
	}
	return widths
}

// fit takes from the widest columns what is above the width of the terminal. 0 means that there is none.
func fit(widths []int, width int) []int {
	if width == 0 {
		return widths
	}
	over := gap*(len(widths)-1) - width
	for _, w := range widths {
		over += w
	}
	for ; over > 0; over-- {
		largest := 0
		for j, w := range widths {
			if w > widths[largest] {
				largest = j
			}
		}
		if widths[largest] == 1 {
			break
		}
		widths[largest]--
	}
	return widths
}

// Field is a name and what stands under it.
type Field struct {
	Name  string
	Value Cell
}

// Fields writes one record, a line for each field that is not empty. On a terminal long values go on below
// themselves.
func Fields(w io.Writer, to Terminal, fields []Field) error {
	names := 0
	for _, f := range fields {
		names = max(names, runewidth.StringWidth(f.Name))
	}
	indent := names + gap
	var b strings.Builder
	for _, f := range fields {
		value := Text(f.Value.Text)
		if value == "" {
			continue
		}
		if room := to.Width - indent; room > least {
			value = runewidth.Wrap(value, room)
		}
		b.WriteString(to.Paint(Head, f.Name) + strings.Repeat(" ", indent-runewidth.StringWidth(f.Name)))
		for i, line := range strings.Split(value, "\n") {
			if i > 0 {
				b.WriteString(strings.Repeat(" ", indent))
			}
			b.WriteString(to.Paint(f.Value.Style, line) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// least is the narrowest room in which values are broken into lines.
const least = 20
