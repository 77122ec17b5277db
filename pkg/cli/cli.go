// Package cli is the command line that Hub's binaries share: commands, help, settings from the
// environment, one-line errors and the end by signal.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"example.com/hub/pkg/config"
	"example.com/hub/pkg/version"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// ballast is how many bytes a process holds and never touches: address space, but no memory. The
// collector takes them for live data and so lets at least as many bytes of garbage come together. A hub
// or an edge holds a few MiB and makes some ten KiB of garbage with each call; without the ballast a
// fifth of its processor time would be collections (docs/adr/0008-pages-off-the-wire.md).
const ballast = 16 << 20

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
	// Settings is a pointer to the struct that the environment fills; nil for none.
	Settings any
	// Run does it. Its context ends with the first SIGINT or SIGTERM; a second one kills.
	Run func(ctx context.Context, io IO, args []string) error
}

// IO is where a command writes to.
type IO struct {
	Out, Err io.Writer
}

// Main runs the command that the process was started with, and returns the exit code: 0, 1 for a
// failure, 2 for a wrong call or wrong settings.
func (p Program) Main() int {
	defer runtime.KeepAlive(make([]byte, ballast))
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
	switch name {
	case "-h", "-help", "--help", "help":
		return p.exit(io, p.writeHelp(io.Out))
	case "-version", "--version", "version":
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
	if c.Args == "" && len(args) > 0 {
		return p.misused(io, args[0])
	}
	if c.Settings != nil {
		if err := config.Load(c.Settings, environ); err != nil {
			p.complain(io, err)
			return exitUsage
		}
	}
	return p.exit(io, c.Run(ctx, io, args))
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
	var usage Usage
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(io.Err, "usage: %s\n", usage)
		return exitUsage
	}
	p.complain(io, err)
	return exitFailed
}

// complain prints an error, which may join several, with the program's name before each line.
func (p Program) complain(io IO, err error) {
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(io.Err, "%s: %s\n", p.Name, strings.TrimSuffix(line, "\n"))
	}
}

// Usage is the error of a command that was called with the wrong arguments: how to call it.
type Usage string

// Error gives the right call.
func (u Usage) Error() string { return string(u) }

func (p Program) writeHelp(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s\n\nUsage:\n", p.Name, p.Summary)
	for _, c := range p.Commands {
		call := strings.Join(strings.Fields(p.Name+" "+c.Name+" "+c.Args), " ")
		fmt.Fprintf(w, "  %-28s %s\n", call, c.Help)
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
	return nil
}
