// Package cli is the command line that Hub's binaries share: commands, help, settings from the
// environment, one-line errors and the end by signal.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"example.com/hub/pkg/config"
	"example.com/hub/pkg/heap"
	"example.com/hub/pkg/log"
	"example.com/hub/pkg/version"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// minGarbage is small beside the memory of any process, and several times what Go would leave an idle one.
const minGarbage = 16 << 20

// Program is a binary.
type Program struct {
	// Name is the binary's name.
	Name string
	// Summary says in one sentence what it is.
	Summary string
	// Commands are what it can do. One without a name runs when no command is given.
	Commands []Command
}

// Command is one thing that a binary can do.
type Command struct {
	// Name is the word on the command line; empty for the only command of a binary.
	Name string
	// Args names the arguments in the help, "CLIENT-ID" for example; empty for none.
	Args string
	// Help says in one line what the command does.
	Help string
	// Details end the help of the program: what does not fit into a line. Empty for none.
	Details string
	// Settings is a pointer to the struct that the environment fills; nil for none.
	Settings any
	// Run does it. Its context ends with the first SIGINT or SIGTERM; a second one kills.
	Run func(ctx context.Context, io IO, args []string) error
}

// IO is where a command writes to.
type IO struct {
	Out, Err io.Writer

	strangers config.Strangers
}

// Logger makes the logger of a command that serves, and names in it the variables of the environment
// that look like settings and are none of this binary.
func (io IO) Logger(c log.Config) *slog.Logger {
	logger := log.New(io.Err, c)
	io.strangers.Log(logger)
	return logger
}

// Main runs the command that the process was started with, and returns the exit code: 0, 1 for a
// failure, 2 for a wrong call or wrong settings.
func (p Program) Main() int {
	heap.Floor(minGarbage)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// From the first signal on the next one has its usual effect.
	context.AfterFunc(ctx, stop)
	return p.Run(ctx, os.Args[1:], os.Environ(), IO{Out: os.Stdout, Err: os.Stderr})
}

// Run is Main with everything given.
func (p Program) Run(ctx context.Context, args, environ []string, io IO) int {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	switch {
	case asksForHelp(name), name == "help":
		return p.exit(io, p.writeHelp(io.Out))
	case name == "-version", name == "--version", name == "version":
		fmt.Fprintln(io.Out, p.Name, version.String())
		return exitOK
	}
	c, ok := p.find(name)
	if !ok {
		return p.misused(io, name)
	}
	if len(args) > 0 {
		args = args[1:]
	}
	if slices.ContainsFunc(args, asksForHelp) {
		return p.exit(io, p.writeHelp(io.Out))
	}
	if c.Args == "" && len(args) > 0 {
		return p.misused(io, args[0])
	}
	io.strangers = config.FindStrangers(environ, p.settings()...)
	if c.Settings != nil {
		if err := config.Load(c.Settings, environ); err != nil {
			p.complain(io, err)
			p.complainLines(io, io.strangers.Lines())
			return exitUsage
		}
	}
	err := c.Run(ctx, io, args)
	if errors.Is(err, ErrUsage) {
		fmt.Fprintln(io.Err, "usage:", p.call(c))
		return exitUsage
	}
	return p.exit(io, err)
}

func asksForHelp(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" }

// settings are those of all commands.
func (p Program) settings() []any {
	var all []any
	for _, c := range p.Commands {
		if c.Settings != nil {
			all = append(all, c.Settings)
		}
	}
	return all
}

// call is how a command is called.
func (p Program) call(c Command) string {
	return strings.Join(strings.Fields(p.Name+" "+c.Name+" "+c.Args), " ")
}

func (p Program) find(name string) (Command, bool) {
	for _, c := range p.Commands {
		if c.Name == name {
			return c, true
		}
	}
	return Command{}, false
}

func (p Program) misused(io IO, word string) int {
	if word == "" {
		fmt.Fprintf(io.Err, "%s: which command? See %s --help.\n", p.Name, p.Name)
	} else {
		fmt.Fprintf(io.Err, "%s: there is no %q. See %s --help.\n", p.Name, word, p.Name)
	}
	return exitUsage
}

func (p Program) exit(io IO, err error) int {
	if err == nil {
		return exitOK
	}
	p.complain(io, err)
	return exitFailed
}

// complain prints an error, which may join several.
func (p Program) complain(io IO, err error) {
	p.complainLines(io, strings.Split(err.Error(), "\n"))
}

// complainLines prints lines with the program's name before each.
func (p Program) complainLines(io IO, lines []string) {
	for _, line := range lines {
		fmt.Fprintf(io.Err, "%s: %s\n", p.Name, line)
	}
}

// ErrUsage is the error of a command that was called with the wrong arguments: the program shows how
// to call it.
var ErrUsage = errors.New("wrong arguments")

func (p Program) writeHelp(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s\n\nUsage:\n", p.Name, p.Summary)
	for _, c := range p.Commands {
		fmt.Fprintf(w, "  %-28s %s\n", p.call(c), c.Help)
	}
	fmt.Fprintf(w, "  %-28s %s\n", p.Name+" --version", "prints the version")
	for _, c := range p.Commands {
		if c.Settings == nil {
			continue
		}
		title := "Settings"
		if c.Name != "" {
			title += " of " + c.Name
		}
		fmt.Fprintf(w, "\n%s, environment variables with their defaults:\n", title)
		if err := config.WriteUsage(w, c.Settings); err != nil {
			return err
		}
	}
	for _, c := range p.Commands {
		if c.Details != "" {
			fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(c.Details))
		}
	}
	return nil
}
