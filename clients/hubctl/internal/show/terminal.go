package show

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Terminal is what is known of where text goes to.
type Terminal struct {
	// Width is in columns; 0 where it is no terminal, and nothing is cut.
	Width int
	// Colour tells whether text may have colours.
	Colour bool
}

// fallbackWidth is that of a terminal that does not tell its own.
const fallbackWidth = 80

// TerminalOf looks at a writer. It has colours if it is a terminal, unless NO_COLOR is set to something
// (no-color.org) or TERM is dumb.
func TerminalOf(w io.Writer, environ func(string) (string, bool)) Terminal {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return Terminal{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = fallbackWidth
	}
	no, _ := environ("NO_COLOR")
	kind, _ := environ("TERM")
	return Terminal{Width: width, Colour: no == "" && kind != "dumb"}
}

// Style is how a text is shown where there are colours.
type Style string

// The styles, by what they say.
const (
	Plain Style = ""
	Head  Style = "1"  // bold
	Faint Style = "2"  // less bright
	Good  Style = "32" // green
	Odd   Style = "33" // yellow
	Bad   Style = "31" // red
)

// Paint gives the text in a style, which adds no width.
func (t Terminal) Paint(s Style, text string) string {
	if !t.Colour || s == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}
