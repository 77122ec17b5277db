package command

import (
	"fmt"
	"time"

	"example.com/hub/clients/hubctl/internal/show"
)

// instant gives a time of Hub in the zone of the terminal; nil is none.
func instant(value *string) string {
	if value == nil {
		return ""
	}
	t, err := time.Parse(time.RFC3339Nano, *value)
	if err != nil {
		return *value
	}
	return t.Local().Format("2006-01-02 15:04")
}

// note says something on standard error that is no failure; for programs as a line of JSON.
func (a *App) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if a.output == outputJSON {
		_ = show.JSONLine(a.Err, map[string]string{"note": text}) // there is nowhere to say that it fails
		return
	}
	to := show.TerminalOf(a.Err, a.Environ)
	fmt.Fprintf(a.Err, "%s %s\n", to.Paint(show.Odd, "hubctl:"), show.Text(text))
}

// count gives a number with its noun, which takes an s.
func count[N int | int64](n N, noun string) string {
	if n == 1 {
		return fmt.Sprint("1 ", noun)
	}
	return fmt.Sprint(n, " ", noun, "s")
}
