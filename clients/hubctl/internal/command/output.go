package command

import (
	"fmt"

	"example.com/hub/clients/hubctl/internal/show"
)

// output is the form of what a command prints. It is a flag.
type output string

const (
	outputTable output = "table"
	outputJSON  output = "json"
)

// String implements pflag.Value.
func (o *output) String() string { return string(*o) }

// Type implements pflag.Value.
func (*output) Type() string { return "table|json" }

// Set implements pflag.Value.
func (o *output) Set(value string) error {
	switch output(value) {
	case outputTable, outputJSON:
		*o = output(value)
		return nil
	}
	return fmt.Errorf("must be table or json")
}

// print shows a value: as JSON, or as the table that people get.
func (a *App) print(value any, table func(to show.Terminal) error) error {
	if a.output == outputJSON {
		return show.JSON(a.Out, value)
	}
	return table(a.terminal())
}

// say prints a line for people, and nothing for programs.
func (a *App) say(format string, args ...any) {
	if a.output != outputJSON {
		fmt.Fprintf(a.Out, format+"\n", args...)
	}
}
